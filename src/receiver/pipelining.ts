import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { credentialOf, type Refused } from '../lib/http/problem.ts'

/** Requests of a known sender that may wait for their answers on one connection. HTTP clients send one at a time. */
const MAX_PENDING = 4

const LATEST = Symbol('the latest response')
const BEFORE = Symbol('the response before it')
const PENDING = Symbol('requests behind one that is not answered yet')
const ASKED_AT = Symbol('when the latest request came')

interface Tracked extends Socket {
  [LATEST]?: ServerResponse
  [BEFORE]?: ServerResponse | undefined
  [PENDING]?: number
  [ASKED_AT]?: number
  /**
   * Undocumented in Node: once removed, the parser hands over nothing more of what was read. Nothing documented stops it within a
   * read of 64 KB: 2,000 requests then come for nothing, and a connection costs 26 ms of the event loop in place of 0.6.
   */
  parser?: { remove?(): void } | null
}

/**
 * Limits how many requests of a connection may be pipelined: Node hands all that it has read over in one turn of the event loop, in
 * which no other connection is served. A stranger may send one, as its answer closes the connection. Beyond the limit the
 * connection is read no further and closes after the answers that are still to come. Returns whether to handle the request.
 */
export function createPipeliningGuard(
  refused: Refused,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const socket: Tracked = request.socket
    if (socket.destroyed) return false
    const before = socket[LATEST]
    if (mayAsk(socket, before)) {
      // One that has closed is waited for by nobody: it is not kept alive by its connection.
      socket[BEFORE] = before?.closed ? undefined : before
      socket[LATEST] = response
      socket[ASKED_AT] = performance.now()
      return true
    }
    refused('pipelined', socket.remoteAddress)
    socket.parser?.remove?.()
    afterAnswers(socket, () => socket.destroySoon())
    return false
  }
}

function mayAsk(socket: Tracked, before: ServerResponse | undefined): boolean {
  if (before === undefined) return true
  if (credentialOf(socket) === null) return false
  socket[PENDING] = before.writableEnded ? 0 : (socket[PENDING] ?? 0) + 1
  return socket[PENDING] < MAX_PENDING
}

/** Calls `then` once every request of the connection that came whole has its answer; at once where none is waiting. */
export function afterAnswers(socket: Tracked, then: () => void): void {
  const latest = socket[LATEST]
  // What broke off in the middle of its body gets no answer of its own; those before it do.
  const last = latest?.req.complete ? latest : socket[BEFORE]
  if (last === undefined || last.closed) then()
  else last.once('close', then)
}

/** When the latest request of a connection came (as performance.now); null: it has an answer to come, or sent none. */
export function idleSince(socket: Tracked): number | null {
  return socket[LATEST]?.closed ? (socket[ASKED_AT] ?? null) : null
}
