import type { Response } from 'express'

/** An answer that is not success, as RFC 9457 has it. `code` is stable: programs may rely on it. */
export interface Problem {
  status: number
  code: string
  title: string
  detail?: string
  /** Seconds after which it is worth trying again. */
  retryAfter?: number
  /** Further fields that help. */
  more?: Record<string, unknown>
}

/** Answers with a problem. */
export function answerProblem(response: Response, { status, code, title, detail, retryAfter, more }: Problem): void {
  if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, code, ...(detail && { detail }), ...more }))
}
