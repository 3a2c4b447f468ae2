import { ThreadList } from "@/components/home/thread-list.tsx";
import { Start } from "@/components/home/start.tsx";
import { pageOwner } from "@/lib/http/owner.ts";
import { threadJson } from "@/lib/http/run-json.ts";
import { getServer } from "@/lib/server.ts";

export const dynamic = "force-dynamic";

const THREADS_MAX = 30;

export default async function HomePage() {
  const { env, store } = await getServer();
  const threads = await store.runs.listThreads(pageOwner(), THREADS_MAX);
  return (
    <main id="main" className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-10 px-4 py-8 md:py-12">
        <Start isLab={env.lab} />
        <ThreadList threads={threads.map(threadJson)} />
      </div>
    </main>
  );
}
