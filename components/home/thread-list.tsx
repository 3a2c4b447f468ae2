/** Conversations, newest activity first. */
import Link from "next/link";
import type { ThreadJson } from "@/lib/client/api.ts";
import type { RunStatus } from "@/lib/core/run-record.ts";
import { AgeText } from "../ui/clock-text.tsx";

const STATUS_WORDS: Record<RunStatus, string> = {
  running: "Running",
  waiting: "Waiting for you",
  done: "Done",
  failed: "Failed",
  cancelled: "Stopped",
};

export function ThreadList({ threads }: { readonly threads: readonly ThreadJson[] }) {
  if (threads.length === 0) return null;
  return (
    <nav aria-label="Conversations">
      <h2 className="mb-2 text-sm font-semibold">Conversations</h2>
      <ul className="divide-y divide-border rounded-xl border border-border bg-card">
        {threads.map((thread) => (
          <li key={thread.threadId}>
            <Link
              href={`/threads/${thread.threadId}`}
              className="flex min-h-11 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-muted/60"
            >
              <span className="min-w-0 flex-1 truncate">{thread.title || "New conversation"}</span>
              {thread.lastRunStatus && (
                <span className="text-[0.8125rem] text-muted-foreground">
                  {STATUS_WORDS[thread.lastRunStatus]}
                </span>
              )}
              <span className="w-20 text-right text-xs text-muted-foreground">
                <AgeText iso={thread.createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
