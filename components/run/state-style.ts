/** How a call's state looks, everywhere: icon, word, pattern, colour. A missing state is a type error. */
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  Hand,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  ScanSearch,
  ShieldCheck,
  Stamp,
} from "lucide-react";
import { STATE_WORDS } from "@/lib/core/describe.ts";
import type { CallState } from "@/lib/core/run-view.ts";

export type BarPattern =
  "solid" | "open" | "outline" | "hatch" | "thick-hatch" | "crossed" | "dotted";

export interface StateStyle {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly pattern: BarPattern;
  /** CSS variable of its fill. */
  readonly fill: string;
}

const look = (
  state: CallState,
  icon: LucideIcon,
  pattern: BarPattern,
  fill: string,
): StateStyle => ({
  word: STATE_WORDS[state],
  icon,
  pattern,
  fill: `var(--state-${fill})`,
});

export const STATE_STYLE: Record<CallState, StateStyle> = {
  not_started: look("not_started", CircleDashed, "dotted", "idle"),
  running: look("running", LoaderCircle, "open", "running"),
  completed: look("completed", CircleCheck, "solid", "completed"),
  failed: look("failed", OctagonX, "crossed", "failed"),
  interrupted: look("interrupted", CircleQuestionMark, "hatch", "interrupted"),
  blocked: look("blocked", ShieldCheck, "outline", "blocked"),
  held: look("held", Hand, "thick-hatch", "held"),
  verifying: look("verifying", ScanSearch, "hatch", "running"),
  settled_landed: look("settled_landed", Stamp, "solid", "completed"),
  settled_absent: look("settled_absent", Stamp, "crossed", "failed"),
  discarded: look("discarded", Ban, "dotted", "idle"),
};

/** States of the legend, in the order a run meets them. */
export const LEGEND: readonly CallState[] = [
  "running",
  "completed",
  "blocked",
  "interrupted",
  "held",
  "failed",
];
