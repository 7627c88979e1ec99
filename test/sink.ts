import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { eventually } from './eventually.ts'

interface Received {
  /** `webhook-id`: names the effect for ever. */
  id: string
  kind: string
  path: string
  headers: Record<string, string>
  body: string
  at: number
}

/**
 * What the sink does with a request: an answer, `hang` (no answer until it is let go or closed), `half` (breaks off
 * within the answer), `close` (hangs up instead of an answer). A 400 without a body of its own lists a fault, as an application
 * does that has read the request; a gateway's has another body, or an empty one.
 */
export type SinkScript = { status: number; headers?: Record<string, string>; body?: string } | 'hang' | 'half' | 'close'

/** A real receiver on loopback. It answers 200 unless told otherwise. */
export interface Sink extends AsyncDisposable {
  readonly url: string
  /** Every request that arrived whole, in order, whatever was answered. */
  readonly received: Received[]
  /** How it treats requests from now on; `nth` counts all requests from 0. */
  play(script: SinkScript | ((request: Received, nth: number) => SinkScript)): void
  /** Answers what hangs with 200. */
  letGo(): void
  /** Takes no connection any more, until `open`. */
  refuse(): Promise<void>
  open(): Promise<void>
  /** Waits until so many requests have arrived; gives them back. */
  until(count: number, within?: number): Promise<Received[]>
}

export async function startSink(): Promise<Sink> {
  const received: Received[] = []
  const hanging = new Set<ServerResponse>()
  let script: (request: Received, nth: number) => SinkScript = () => ({ status: 200 })
  let server = createServer(answer)
  await listen(0)
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    const one = read(request, body)
    const todo = script(one, received.push(one) - 1)
    if (todo === 'hang') hanging.add(response.on('close', () => hanging.delete(response)))
    else if (todo === 'close') response.destroy()
    else if (todo === 'half')
      response.writeHead(200, { 'content-length': '99999' }).write('so', () => response.destroy())
    else
      response
        .writeHead(todo.status, todo.headers)
        .end(todo.status === 204 ? undefined : (todo.body ?? bodyOf(todo.status)))
  }

  async function listen(at: number) {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }

  async function refuse() {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    play(next) {
      script = typeof next === 'function' ? next : () => next
    },
    letGo() {
      for (const response of hanging) response.end()
    },
    refuse,
    async open() {
      server = createServer(answer)
      await listen(port)
    },
    async until(count, within) {
      await eventually(() => received.length >= count, within)
      return received
    },
    [Symbol.asyncDispose]: refuse,
  }
}

function bodyOf(status: number): string | undefined {
  return status === 400 ? '{"errors":[{"field":"receiptNo"}]}' : undefined
}

/** A redirect, for `play`. */
export function redirect(location: string): SinkScript {
  return { status: 302, headers: { location } }
}

function read({ headers, url = '' }: IncomingMessage, body: Buffer): Received {
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return {
    id: flat['webhook-id'] ?? '',
    kind: flat['tillbridge-kind'] ?? '',
    path: url,
    headers: flat,
    body: body.toString('utf8'),
    at: Date.now(),
  }
}
