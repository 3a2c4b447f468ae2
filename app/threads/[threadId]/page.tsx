import { notFound } from "next/navigation";
import { ThreadView } from "@/components/chat/thread-view.tsx";
import { hasCode } from "@/lib/core/errors.ts";
import { pageOwner } from "@/lib/http/owner.ts";
import { pageRun } from "@/lib/http/page-run.ts";
import { parseThreadId } from "@/lib/http/request.ts";
import { getServer } from "@/lib/server.ts";

export const dynamic = "force-dynamic";

/** Earlier runs that are shown with the conversation; older ones are in the list of runs. */
const RUNS_MAX = 20;

export default async function ThreadPage({ params }: { params: Promise<{ threadId: string }> }) {
  const { env, store, limits } = await getServer();
  const { threadId } = await params;
  const thread = await store.runs
    .getThread(pageOwner(), parseThreadId(threadId))
    .catch((error: unknown) => {
      if (hasCode(error, "thread-not-found")) notFound();
      throw error;
    });
  const ofThread = await store.runs.listThreadRuns(thread.id);
  const runs = await Promise.all(
    ofThread.slice(-RUNS_MAX).map((run) => pageRun(store.ledger, run, limits)),
  );
  return (
    <main id="main" className="flex min-h-0 flex-1 flex-col">
      <h1 className="sr-only">{thread.title || "New conversation"}</h1>
      <ThreadView key={thread.id} threadId={thread.id} runs={runs} isLab={env.lab} />
    </main>
  );
}
