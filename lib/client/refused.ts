/** An answer that is no stream and no page. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, problem: { readonly code: string; readonly detail: string }) {
    super(problem.detail);
    this.status = response.status;
    this.code = problem.code;
    const seconds = Number(response.headers.get("retry-after") ?? NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  }
}

/** The error body of an answer, as far as there is one. */
export async function problemOf(response: Response): Promise<{ code: string; detail: string }> {
  try {
    const { code, detail } = (await response.json()) as { code?: string; detail?: string };
    return { code: code ?? "unexpected", detail: detail ?? response.statusText };
  } catch {
    return { code: "unexpected", detail: response.statusText };
  }
}
