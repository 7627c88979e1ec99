import { Agent, request } from 'undici'
import { type Answered, readAnswer, saidBy } from '../push/hub.ts'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { wordsOf } from '../shared/hub-url.ts'
import { grouped } from '../shared/progress.ts'

/** The hub's reads, asked by the key of an own system. */
export interface ReadHub extends AsyncDisposable {
  /** The hub's questions, as OpenAPI. */
  contract(): Promise<unknown>
  /** All items of a set, as the lines that they come in, some at a time. It has all of them when it ends. */
  lines(set: string, query: Readonly<Record<string, string | undefined>>): AsyncGenerator<string[]>
}

/** As long as this nothing may come (milliseconds). */
const STANDSTILL = 300_000

/** How the last line begins; no item does. */
const END = '{"end":true'

/**
 * A client of the reads. Its methods throw a UserError that says what the hub refuses, and an EndedError where nobody
 * answers, or the answer breaks off.
 */
export function createReadHub({ url, key, signal }: { url: string; key: string; signal: AbortSignal }): ReadHub {
  const dispatcher = new Agent({ headersTimeout: STANDSTILL, bodyTimeout: STANDSTILL, connect: { timeout: 10_000 } })

  async function ask(path: string, accept: string) {
    const headers = { authorization: `Bearer ${key}`, accept }
    const answer = await request(`${url}${path}`, { dispatcher, headers, signal }).catch((error: unknown) => {
      throw new EndedError(`No hub answers at ${url} (${wordsOf(error)}).`, EXIT.problem)
    })
    if (answer.statusCode < 300) return answer.body
    const answered: Answered = { status: answer.statusCode, text: await answer.body.text(), retryAfter: Number.NaN }
    if (answered.status >= 500) throw new EndedError(`The hub cannot answer now: ${saidBy(answered)}.`, EXIT.problem)
    return readAnswer<never>(answered, url)
  }

  return {
    async contract() {
      const text = await (await ask('/openapi.json', 'application/json')).text()
      return readAnswer<unknown>({ status: 200, text, retryAfter: Number.NaN }, url)
    },

    async *lines(set, query) {
      const search = new URLSearchParams({ limit: 'all' })
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value)
      const body = await ask(`/v1/${set}?${search}`, 'application/x-ndjson')
      let count = 0
      let end: { count?: number } | null = null
      try {
        for await (const lines of linesOf(body)) {
          if (lines.at(-1)?.startsWith(END)) end = JSON.parse(lines.pop() ?? '')
          count += lines.length
          if (lines.length > 0) yield lines
        }
      } catch (error) {
        throw brokenOff(count, error)
      }
      if (end?.count !== count) throw brokenOff(count)
    },

    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
}

function brokenOff(count: number, cause?: unknown): EndedError {
  const why = cause === undefined ? '' : ` (${wordsOf(cause)})`
  return new EndedError(`The hub broke off after ${grouped(count)} items${why}. Nothing was kept.`, EXIT.problem)
}
