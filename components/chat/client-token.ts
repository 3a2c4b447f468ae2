/**
 * The mark that makes sending a message safe to repeat: the same token never makes a second run. It belongs to one
 * text; a changed text gets a new one.
 */
export function mintClientToken(): string {
  // `randomUUID` exists only on secure origins; a demo may be opened over plain HTTP in a local network.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Draft {
  readonly text: string;
  /** Set from the first try to send it. */
  readonly token?: string;
}

export const EMPTY_DRAFT: Draft = { text: "" };

/** The draft after the person typed: another text is another message. */
export function editDraft(draft: Draft, text: string): Draft {
  return draft.text.trim() === text.trim() && draft.token !== undefined
    ? { text, token: draft.token }
    : { text };
}

/** The draft with the token of its next try: the one it already has, if it was tried before. */
export function tokenOf(draft: Draft): Draft & { readonly token: string } {
  return { ...draft, token: draft.token ?? mintClientToken() };
}
