import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/*
 * Who has shown a credential keeps its connection; a stranger's is closed with its answer. The mark stands on the connection
 * itself, so that it goes with it.
 */

const SHOWN = Symbol('has shown a credential')
const WOULD_KEEP = Symbol('would be kept')

interface Marked extends Socket {
  [SHOWN]?: true
}

interface Doubted extends ServerResponse {
  [WOULD_KEEP]?: true
}

/** Whether anybody has shown a credential on this connection. */
export function isRecognised(socket: Marked): boolean {
  return socket[SHOWN] === true
}

/** The answer to a stranger closes the connection, unless it is recognised before. */
export function doubt({ socket }: IncomingMessage, response: Doubted): void {
  if (isRecognised(socket) || !response.shouldKeepAlive) return
  response.shouldKeepAlive = false
  response[WOULD_KEEP] = true
}

/** The sender of this request has shown a credential that is right. */
export function recognise({ socket }: IncomingMessage, response: Doubted): void {
  if (isRecognised(socket)) return
  ;(socket as Marked)[SHOWN] = true
  if (response[WOULD_KEEP]) response.shouldKeepAlive = true
}
