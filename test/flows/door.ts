import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { withoutBase } from '../dialect.ts'

/** A request at the door. */
interface Passing {
  /** `PUT /api/v2/Products/bulk-upsert`, wherever `/api` begins in this dialect. */
  line: string
  headers: IncomingHttpHeaders
  body: string
}

/** A door before a platform: every request is noted, and goes on as it is. */
export interface Door extends AsyncDisposable {
  url: string
  passed: Passing[]
  /** Requests that are at the door, and whose client still waits for an answer. */
  open: number
  /** What a request is refused with (400) in place of being let through; null: it passes. May take its time. */
  judge: (passing: Passing) => string | null | Promise<string | null>
  /** Nobody gets through for now (503). */
  away: boolean
  /** What goes wrong with a request; null: nothing. */
  spoil: (passing: Passing) => Spoilt | null
}

/**
 * - `silent`: all is done behind the door, and the connection breaks instead of an answer
 * - a status: nothing is done, and this is the answer
 */
export type Spoilt = 'silent' | 500 | 429

export async function openDoor(target: string): Promise<Door> {
  const server = createServer(async (incoming, answer) => {
    door.open += 1
    answer.once('close', () => {
      door.open -= 1
    })
    const body = await text(incoming)
    const passing = { line: `${incoming.method} ${withoutBase(incoming.url ?? '')}`, headers: incoming.headers, body }
    door.passed.push(passing)
    if (door.away) return answer.writeHead(503).end()
    const refusal = await door.judge(passing)
    if (refusal !== null) return answer.writeHead(400).end(refusal)
    const spoilt = door.spoil(passing)
    if (spoilt === 500 || spoilt === 429) return answer.writeHead(spoilt).end()
    const url = new URL(incoming.url ?? '/', target)
    const headers = { ...incoming.headers, host: url.host }
    return request(url, { method: incoming.method, headers }, (back) => {
      if (spoilt === 'silent') return back.resume().once('end', () => answer.destroy())
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
    open: 0,
    judge: () => null,
    away: false,
    spoil: () => null,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return door
}
