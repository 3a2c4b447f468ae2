/** The server's routes as functions. The only place in the browser that knows their paths. */
import type {
  Effect,
  Fault,
  FaultKind,
  ModelChoice,
  RunRecord,
  RunStatus,
  Temper,
} from "../core/run-record.ts";
import type { Resolution } from "../core/event.ts";
import type { PreviewedCall } from "../core/resume-preview.ts";
import type { Counts } from "../core/run-view.ts";

/** A problem document, or a request that did not get an answer (status 0). */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly field: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(problem: {
    readonly code: string;
    readonly status: number;
    readonly message: string;
    readonly field?: string | undefined;
    readonly facts?: Readonly<Record<string, unknown>>;
  }) {
    super(problem.message);
    this.name = "ApiError";
    this.code = problem.code;
    this.status = problem.status;
    this.field = problem.field;
    this.facts = problem.facts ?? {};
  }
}

export type RunJson = Omit<RunRecord, "ownerId" | "leaseLeftMs"> & { readonly isOwned: boolean };
export type RunRowJson = RunJson & { readonly counts: Counts };

export interface ThreadJson {
  readonly threadId: string;
  readonly title: string;
  readonly createdAt: string;
  readonly activeRunId: string | null;
  readonly lastRunStatus: RunStatus | null;
}

export interface SendMessage {
  readonly text: string;
  readonly clientToken: string;
  readonly model?: ModelChoice | { readonly temper: Temper };
  readonly faults?: readonly Fault[];
}

export interface Resolve {
  readonly outcome: Resolution;
  readonly result?: unknown;
  readonly reason?: string;
  readonly seenSeq?: number;
}

export const createThread = () => post<{ threadId: string }>("/api/threads", {});

export const sendMessage = (threadId: string, message: SendMessage) =>
  post<{ runId: string }>(`/api/threads/${threadId}/messages`, message);

export const listRuns = (query: { status?: string; q?: string; cursor?: string }) =>
  get<{ runs: RunRowJson[]; next: string | null }>(
    `/api/runs?${new URLSearchParams(query).toString()}`,
  );

export const resumeRun = (runId: string) => post<{ run: RunJson }>(`/api/runs/${runId}/resume`, {});

export const previewResume = (runId: string) =>
  get<{ canResume: boolean; seenSeq: number; calls: PreviewedCall[] }>(`/api/runs/${runId}/resume`);

export const cancelRun = (runId: string) => post<{ run: RunJson }>(`/api/runs/${runId}/cancel`, {});

export const resolveCall = (runId: string, callId: string, answer: Resolve) =>
  post<{ seq: number }>(`/api/runs/${runId}/calls/${callId}/resolve`, answer);

export const listEffects = (runId: string) =>
  get<{ effects: Effect[] }>(`/api/effects?${new URLSearchParams({ runId }).toString()}`);

/** Only where the server runs with `LAB=1`. */
export const cutRun = (runId: string, as: FaultKind) =>
  post<{ runId: string }>(`/api/runs/${runId}/cut`, { as });

function get<T>(path: string): Promise<T> {
  return request<T>(path, { headers: { accept: "application/json" } });
}

function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  return request<T>(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, cache: "no-store" });
  } catch {
    throw new ApiError({
      code: "unreachable",
      status: 0,
      message: "The server can't be reached. What runs there goes on.",
    });
  }
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (response.ok) return body as T;
  const { code, detail, field, ...facts } = body ?? {};
  throw new ApiError({
    code: typeof code === "string" ? code : "unexpected",
    status: response.status,
    message: typeof detail === "string" ? detail : "The server could not answer.",
    field: typeof field === "string" ? field : undefined,
    facts,
  });
}
