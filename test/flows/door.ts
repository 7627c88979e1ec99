import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request at the door. */
interface Passing {
  /** `PUT /api/v2/Products/bulk-upsert`. */
  line: string
  headers: IncomingHttpHeaders
  body: string
}

/** A door before a platform: every request is noted, and goes on as it is. */
export interface Door extends AsyncDisposable {
  url: string
  passed: Passing[]
  /** What a request is refused with (400) in place of being let through; null: it passes. May take its time. */
  judge: (passing: Passing) => string | null | Promise<string | null>
  /** Nobody gets through for now (503). */
  away: boolean
}

export async function openDoor(target: string): Promise<Door> {
  const server = createServer(async (incoming, answer) => {
    const body = await text(incoming)
    const passing = { line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body }
    door.passed.push(passing)
    if (door.away) return answer.writeHead(503).end()
    const refusal = await door.judge(passing)
    if (refusal !== null) return answer.writeHead(400).end(refusal)
    const url = new URL(incoming.url ?? '/', target)
    const headers = { ...incoming.headers, host: url.host }
    return request(url, { method: incoming.method, headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
      .on('error', () => answer.destroy())
      .end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const door: Door = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    judge: () => null,
    away: false,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return door
}
