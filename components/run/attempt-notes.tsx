/** What each attempt was told: the exact note, and the partial text it went on from. */
import type { AttemptView } from "@/lib/core/run-view.ts";

export function AttemptNotes({ attempts }: { readonly attempts: readonly AttemptView[] }) {
  const resumed = attempts.filter(({ attempt }) => attempt > 1);
  if (resumed.length === 0) {
    return (
      <p className="rounded-xl border border-dashed border-border p-6 text-center text-sm text-muted-foreground">
        No attempt was resumed, so no note was given.
      </p>
    );
  }
  return (
    <ol aria-label="Notes" className="flex flex-col gap-4">
      {resumed.map(({ attempt, note, prefix, warning }) => (
        <li key={attempt} className="flex flex-col gap-2">
          <h3 className="text-sm font-medium">What attempt {attempt} was told</h3>
          {warning !== undefined && <p className="text-sm text-danger">{warning}</p>}
          <pre className="overflow-x-auto rounded-lg bg-muted p-3 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {note ?? "No note: nothing was on record before it."}
          </pre>
          {prefix !== undefined && (
            <p className="text-[0.8125rem] text-muted-foreground">
              It went on from this partial text: <q className="text-foreground">{prefix}</q>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
