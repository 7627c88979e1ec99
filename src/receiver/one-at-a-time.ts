import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isRecognised } from '../lib/http/recognised.ts'
import type { Refused } from '../lib/http/refused.ts'

/** The most requests of a known sender that may stand behind each other on one connection. */
const MOST_OPEN = 32

const LAST = Symbol('the last answer')
const OPEN = Symbol('answers that are still to come')

interface Watched extends Socket {
  [LAST]?: ServerResponse
  [OPEN]?: number
  /** Node's own, undocumented: it hands nothing more over once it was removed. Without that, hundreds of requests come for nothing. */
  parser?: { remove?(): void } | null
}

/**
 * Keeps a connection from sending hundreds of requests in one breath: Node hands all of them over in one turn, in which nobody else
 * is answered. A stranger has one, as its answer closes the connection; known senders wait for their answers, more or less. What it gives says
 * whether a request is to be looked at.
 */
export function createOneAtATime(refused: Refused): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const socket: Watched = request.socket
    if (socket.destroyed) return false
    if (mayAsk(socket, response)) return true
    refused('pipelined', socket.remoteAddress)
    // The rest of what was read with it is not handed over.
    socket.parser?.remove?.()
    socket.destroy()
    return false
  }
}

function mayAsk(socket: Watched, response: ServerResponse): boolean {
  const last = socket[LAST]
  socket[LAST] = response
  if (last === undefined) return true
  if (!isRecognised(socket)) return false
  socket[OPEN] = last.writableEnded ? 0 : (socket[OPEN] ?? 0) + 1
  return socket[OPEN] <= MOST_OPEN
}
