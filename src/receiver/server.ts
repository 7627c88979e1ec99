import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Timeouts } from '../config/limits.ts'
import type { Refused } from '../lib/http/problem.ts'
import { afterAnswers } from './pipelining.ts'

/** A catalogue over a thin line takes its time; whoever says nothing meanwhile is cut off sooner (milliseconds). */
const LONGEST_REQUEST = 60 * 60_000

/** How often Node looks for requests whose headers take too long (milliseconds). */
const LOOK = 1_000

/** Statuses for bytes that are no HTTP, by the code of Node's parser. */
const STATUS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/**
 * An HTTP server with timeouts for whatever a sender may delay. What is no HTTP is refused, counted, and its connection closed, after
 * the answers to the requests before it on that connection.
 */
export function createServerFor(listener: RequestListener, timeouts: Timeouts, refused: Refused): Server {
  const server = createServer(
    {
      requestTimeout: LONGEST_REQUEST,
      headersTimeout: timeouts.headers,
      keepAliveTimeout: timeouts.keepAlive,
      connectionsCheckingInterval: LOOK,
    },
    listener,
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // A caller who hangs up first was not refused.
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refused(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too-slow' : 'not-http', socket.remoteAddress)
    afterAnswers(socket, () => {
      socket.end(`HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
      socket.destroySoon()
    })
  })
  return server
}
