"use client";
/** The state of the live connection: one pill, always in the same place, and truthful. */
import {
  CircleCheckBig,
  CloudOff,
  Flag,
  Loader,
  type LucideIcon,
  Pause,
  Radio,
  RefreshCw,
  Unplug,
  Wifi,
} from "lucide-react";
import type { ConnectionState } from "@/lib/client/stream-state.ts";
import { Button } from "../ui/button.tsx";
import { formatDuration } from "../ui/time.ts";

const ICONS: Record<ConnectionState["kind"], LucideIcon> = {
  connecting: Loader,
  replaying: CircleCheckBig,
  live: Radio,
  paused: Pause,
  reconnecting: RefreshCw,
  slow: Wifi,
  offline: CloudOff,
  stopped: Unplug,
  ended: Flag,
};

export interface ConnectionPillProps {
  readonly connection: ConnectionState;
  readonly onRetry: () => void;
  readonly onGoLive: () => void;
}

export function ConnectionPill({ connection, onRetry, onGoLive }: ConnectionPillProps) {
  const Icon = ICONS[connection.kind];
  return (
    <span
      data-connection={connection.kind}
      className="inline-flex min-h-6 items-center gap-1.5 rounded-full border border-border px-2.5 text-xs"
    >
      <Icon aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      <span>{wordsOf(connection)}</span>
      {connection.kind === "reconnecting" && (
        <Button size="small" weight="ghost" onClick={onRetry}>
          Retry now
        </Button>
      )}
      {connection.kind === "paused" && (
        <Button size="small" weight="ghost" onClick={onGoLive}>
          Back to live
        </Button>
      )}
    </span>
  );
}

function wordsOf(connection: ConnectionState): string {
  switch (connection.kind) {
    case "connecting":
      return "Connecting";
    case "replaying":
      return `Replaying ${connection.applied} / ${connection.head}`;
    case "live":
      return connection.lagMs > 1_000
        ? `Live, quiet for ${formatDuration(connection.lagMs)}`
        : "Live";
    case "paused":
      return `Paused · ${connection.waiting} new`;
    case "reconnecting":
      return `Reconnecting · try ${connection.tries} · the run goes on`;
    case "slow":
      return "Live (polling)";
    case "offline":
      return "Offline";
    case "stopped":
      return connection.message || "Not available";
    case "ended":
      return "Complete";
  }
}
