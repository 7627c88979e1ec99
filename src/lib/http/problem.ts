import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
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

/**
 * Is told of everything that was refused before anybody could look into it: why, from which address, and, where that is known, at which
 * interface of the hub (`/admin`): never more of a path, which may hold a token.
 */
export type Refused = (why: string, address: string | undefined, at?: string) => void

/*
 * Who has shown a credential keeps its connection; a stranger's is closed with its answer. The mark stands on the connection
 * itself, so that it goes with it.
 */

const CREDENTIAL = Symbol('the credential that was shown')
const WOULD_KEEP = Symbol('would be kept')

interface Marked extends Socket {
  [CREDENTIAL]?: string
}

interface Doubted extends ServerResponse {
  [WOULD_KEEP]?: true
}

/** The name of the credential that was shown on this connection; null: none yet. */
export function credentialOf(socket: Marked): string | null {
  return socket[CREDENTIAL] ?? null
}

/** The answer to a stranger closes the connection, unless it is recognised before. */
export function doubt({ socket }: IncomingMessage, response: Doubted): void {
  if (credentialOf(socket) !== null || !response.shouldKeepAlive) return
  response.shouldKeepAlive = false
  response[WOULD_KEEP] = true
}

/** The sender of this request has shown a credential that is right; `credential` is its name, never its secret. */
export function recognise({ socket }: IncomingMessage, response: Doubted, credential: string): void {
  if (credentialOf(socket) !== null) return
  ;(socket as Marked)[CREDENTIAL] = credential
  if (response[WOULD_KEEP]) response.shouldKeepAlive = true
}
