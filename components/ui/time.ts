/** Times and durations as people read them. Pure: the moment "now" is passed in. */

/** Milliseconds as "240 ms", "1.4 s", "2 min 5 s", "3 h 20 min". */
export function formatDuration(ms: number): string {
  if (ms < 0) return "0 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
  return joined(Math.floor(minutes / 1_440), "d", Math.floor((minutes % 1_440) / 60), "h");
}

/** The distance to `now` as "just now", "40 s ago", "3 min ago", "2 d ago". */
export function formatAge(atMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - atMs) / 1_000);
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Shape: "14:02:07", in the reader's time zone. */
export function formatClock(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The whole moment with its time zone, for titles and accessible text. */
export function formatMoment(iso: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" }).format(
    new Date(iso),
  );
}

function joined(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}
