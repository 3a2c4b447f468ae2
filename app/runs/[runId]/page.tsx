import { notFound } from "next/navigation";
import { RunPageView } from "@/components/run/run-page-view.tsx";
import { hasCode } from "@/lib/core/errors.ts";
import { pageOwner } from "@/lib/http/owner.ts";
import { pageRun } from "@/lib/http/page-run.ts";
import { parseRunId } from "@/lib/http/request.ts";
import { getServer } from "@/lib/server.ts";

export const dynamic = "force-dynamic";

export default async function RunPage({ params }: { params: Promise<{ runId: string }> }) {
  const { store, limits } = await getServer();
  const { runId } = await params;
  const run = await Promise.resolve()
    .then(() => store.runs.getRun(pageOwner(), parseRunId(runId)))
    .catch((error: unknown) => {
      if (hasCode(error, "run-not-found")) notFound();
      throw error;
    });
  const title = run.input.kind === "message" ? run.input.text : run.input.action;
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-6xl flex-col gap-4 px-4 py-6">
        <h1 className="text-lg font-semibold [overflow-wrap:anywhere]">{title}</h1>
        <RunPageView known={await pageRun(store.ledger, run, limits)} threadId={run.threadId} />
      </div>
    </main>
  );
}
