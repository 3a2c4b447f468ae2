/**
 * Who a request acts for: the one function to change when there is sign-in. Every query takes its answer, so
 * that a thread or run of somebody else is "not found".
 */
import { asOwnerId, type OwnerId } from "../core/ids.ts";

const LOCAL = asOwnerId("local");

/** Everyone is `local` today. */
export function ownerOf(_request: Request): OwnerId {
  return LOCAL;
}

/** Whom a page is rendered for: the same person as its requests act for. */
export function pageOwner(): OwnerId {
  return LOCAL;
}
