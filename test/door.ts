import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { withoutBase } from './dialect.ts'
import { type Listening, listen } from './listen.ts'

interface Passing {
  /** `PUT /api/v2/Products/bulk-upsert`, wherever `/api` begins in this dialect. */
  line: string
  headers: IncomingHttpHeaders
  body: string
}

/** What becomes of a request: an answer of the door, `reset` without one; `silent`: all is done behind it, and the connection breaks. */
export type DoorVerdict = { status: number; type?: string; body?: string } | 'reset' | 'silent' | null

/** A reverse proxy on loopback before a system: every request is noted, and goes on as it is unless it is judged otherwise. */
export interface Door extends Listening {
  passed: Passing[]
  /** Requests that are at the door, and whose client still waits for an answer. */
  open: number
  refused: number
  /** Null: it passes. May take its time. */
  judge: (passing: Passing) => DoorVerdict | Promise<DoorVerdict>
  /** The bodies that were sent on a line, without its query; JSON. */
  sent(line: string): unknown[]
}

export async function openDoor(target: string): Promise<Door> {
  const server = await listen(async (incoming, answer) => {
    door.open += 1
    answer.once('close', () => {
      door.open -= 1
    })
    const body = await buffer(incoming).catch(() => null)
    if (body === null) return
    const { method, url = '/', headers } = incoming
    const passing = { line: `${method} ${withoutBase(url)}`, headers, body: body.toString() }
    door.passed.push(passing)
    const verdict = await door.judge(passing)
    if (verdict !== null && verdict !== 'silent') {
      door.refused += 1
      if (verdict === 'reset') return incoming.socket.resetAndDestroy()
      return answer.writeHead(verdict.status, { 'content-type': verdict.type ?? 'text/plain' }).end(verdict.body)
    }
    const behind = new URL(url, target)
    return request(behind, { method, headers: { ...headers, host: behind.host } }, (back) => {
      if (verdict === 'silent') return back.resume().once('end', () => answer.destroy())
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
      .on('error', () => answer.destroy())
      .end(body)
  })
  const door: Door = {
    ...server,
    passed: [],
    open: 0,
    refused: 0,
    judge: () => null,
    sent: (line) => door.passed.filter((one) => one.line.split('?')[0] === line).map(({ body }) => JSON.parse(body)),
  }
  return door
}
