/** The world's name for an effect: `msg-17`, `ch-17`, `T-17`. */
export function idOf(prefix: string, effectId: string): string {
  return `${prefix}-${effectId.replace(/^\D+/, "")}`;
}
