import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Response } from 'express'

/** RFC 9457 problem; `code` is stable. */
export interface Problem {
  status: number
  code: string
  title: string
  detail?: string
  retryAfter?: number
  more?: Record<string, unknown>
}

export function answerProblem(response: Response, { status, code, title, detail, retryAfter, more }: Problem): void {
  if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter))
  response
    .status(status)
    .type('application/problem+json')
    .send(JSON.stringify({ type: 'about:blank', title, status, code, ...(detail && { detail }), ...more }))
}

/** Reason, address and interface (`/admin`), never the path, which may hold a token. */
export type Refused = (why: string, address: string | undefined, at?: string) => void

/** A stranger's connection is closed with its answer. */

const CREDENTIAL = Symbol('the credential that was shown')
const WOULD_KEEP = Symbol('would be kept')

interface Marked extends Socket {
  [CREDENTIAL]?: string
}

interface Unconfirmed extends ServerResponse {
  [WOULD_KEEP]?: true
}

export function credentialOf(socket: Marked): string | null {
  return socket[CREDENTIAL] ?? null
}

export function warning({ socket }: IncomingMessage, response: Unconfirmed): void {
  if (credentialOf(socket) !== null || !response.shouldKeepAlive) return
  response.shouldKeepAlive = false
  response[WOULD_KEEP] = true
}

/** `credential` is its name, not its secret. */
export function recognise({ socket }: IncomingMessage, response: Unconfirmed, credential: string): void {
  if (credentialOf(socket) !== null) return
  ;(socket as Marked)[CREDENTIAL] = credential
  if (response[WOULD_KEEP]) response.shouldKeepAlive = true
}
