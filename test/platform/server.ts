import { text } from 'node:stream/consumers'
import { listen } from '../listen.ts'

/** One request as it came. */
interface Asked {
  /** `GET /api/Stores`, query included. */
  line: string
  headers: Record<string, string>
  body: string
}

/** What is answered: JSON of the `body` unless it is text; or a connection that is cut or kept waiting. */
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'inactivity'

export interface PlatformServer extends AsyncDisposable {
  url: string
  asked: Asked[]
  /** From now on: these replies in this order, the last one for ever. Without a path: to everything that has none. */
  play(replies: Reply | Reply[], path?: string): void
}

/** A platform of the tests on loopback: it answers what it is told, whatever it is asked. 404 where it is not told. */
export async function startPlatformServer(): Promise<PlatformServer> {
  const asked: Asked[] = []
  const scripts = new Map<string, Reply[]>()
  const server = await listen((request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    void text(request).then((body) => {
      const path = (request.url ?? '').replace(/\?.*$/, '')
      asked.push({ line: `${request.method} ${request.url}`, headers, body })
      const replies = scripts.get(path) ?? scripts.get('') ?? [{ status: 404 }]
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 404 }
      if (reply === 'inactivity') return
      if (reply === 'cut') return request.socket.destroy()
      const written = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
      response.writeHead(reply.status ?? 200, reply.headers).end(written)
    })
  })
  return {
    ...server,
    asked,
    play(replies, path = '') {
      scripts.set(path, Array.isArray(replies) ? [...replies] : [replies])
    },
  }
}
