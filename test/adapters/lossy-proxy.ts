import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { listen } from '../listen.ts'

/**
 * Stands before an HTTP system and can lose its answers: what was asked is executed, and nobody hears of it. It can cut
 * requests off too: nothing of them is executed, and nobody can tell.
 */
export interface LossyProxy extends AsyncDisposable {
  url: string
  /** Loses the answer to the next request that has this text in its address or its body. */
  lose(text: string): void
  /** Breaks the next request that has this text in its address or its body, before the system sees it. */
  cut(text: string): void
  /** Refuses, with 422, every request that has this text in its address or its body, as wrong by itself, until it is null. */
  refuse(text: string | null): void
  readonly lost: number
  readonly asked: string[]
}

/** Who answers so has read the request, and takes others. */
const REFUSED = '{"title":"This is refused.","errors":{"text":["is not wanted"]}}'

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const { origin, pathname } = new URL(target)
  let wanted: string | null = null
  let unwanted: string | null = null
  let refused: string | null = null
  let lost = 0
  const asked: string[] = []
  const server = await listen(async (incoming, answer) => {
    const body = await buffer(incoming)
    asked.push(incoming.url ?? '')
    if (unwanted !== null && `${incoming.url} ${body}`.includes(unwanted)) {
      unwanted = null
      answer.destroy()
      return
    }
    if (refused !== null && `${incoming.url} ${body}`.includes(refused)) {
      answer.writeHead(422, { 'content-type': 'application/json' }).end(REFUSED)
      return
    }
    const { connection: _, host: __, ...headers } = incoming.headers
    const method = incoming.method ?? 'GET'
    const result = await request(origin + incoming.url, { method, headers, body } as Parameters<typeof request>[1])
    const bytes = Buffer.from(await result.body.arrayBuffer())
    if (wanted !== null && `${incoming.url} ${body}`.includes(wanted)) {
      wanted = null
      lost += 1
      answer.destroy()
      return
    }
    const { 'transfer-encoding': ___, connection: ____, ...kept } = result.headers
    answer.writeHead(result.statusCode, kept as Record<string, string>).end(bytes)
  })
  return {
    url: `${server.url}${pathname}`,
    lose(text) {
      wanted = text
    },
    cut(text) {
      unwanted = text
    },
    refuse(text) {
      refused = text
    },
    get lost() {
      return lost
    },
    asked,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
