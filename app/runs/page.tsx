import type { Metadata } from "next";
import { RunsList } from "@/components/run/runs-list.tsx";

export const metadata: Metadata = { title: "Runs" };
export const dynamic = "force-dynamic";

export default function RunsPage() {
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-5xl flex-col gap-4 px-4 py-6">
        <h1 className="text-xl font-semibold">Runs</h1>
        <RunsList />
      </div>
    </main>
  );
}
