/** Folds a run's events into the messages of a conversation. */
import type { RunEvent } from "./event.ts";
import type { ChatState } from "./chat-view.ts";

export type { CallPart, ChatMessage, ChatPart, ChatState, CutPart, TextPart } from "./chat-view.ts";

const INITIAL: ChatState = { lastSeq: 0, messages: [] };

/** The state before the first event. */
export function initialChatState(): ChatState {
  return INITIAL;
}

/** Adds one event. An event that was already applied changes nothing. Never throws. */
export function foldChat(state: ChatState, event: RunEvent): ChatState {
  return { ...state, lastSeq: event.seq };
}
