import type { Buffer } from 'node:buffer'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { parseWithIds } from '../../../lib/exact-json.ts'
import { createHttpClient, type HttpRequest, targetOf, USER_AGENT } from '../../../lib/http/http.ts'
import type { HttpAnswer, HttpResult } from '../../../lib/http/http-exchange.ts'
import { retryAfter } from '../../../lib/http/http-verdict.ts'
import { jsonTextOf, textOf } from '../../../lib/http/json-text.ts'
import { listsFaults } from '../../../lib/http/refusal.ts'
import { withoutEnd } from '../../../lib/http/without-end.ts'
import type { AdapterContext } from '../../adapter.ts'
import { createAnswerCheck, statusLine } from '../../shared/http-errors.ts'
import { reach } from '../../shared/reach.ts'
import type { RequestTemplate } from '../mapping/template.ts'
import type { RestOptions } from '../schema.ts'
import { createCredentials } from './credentials.ts'
import type { BuiltRequest } from './request.ts'

/** An answer as mappings see it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** The JSON of the answer, in which whole numbers beyond 2^53 are texts; null: it has none. */
  answer: unknown
}

interface SendOptions {
  signal: AbortSignal
  statuses: RequestTemplate['statuses']
  /** How much of the answer is read (bytes). */
  keep: number
}

/** The system, by HTTP. Errors show the path as config has it, the status, and the code of a refusal: nobody's data. */
export interface Api extends AsyncDisposable {
  send(request: BuiltRequest, options: SendOptions): Promise<Answer>
  /** The path below the url of an address that the system gave; null: it is another host. */
  pathOf(link: string): string | null
  /** Whether somebody answers at the url, whatever it is. Where a token is needed, one is fetched. */
  reach(signal: AbortSignal): Promise<HttpAnswer>
}

export function createApi(options: RestOptions, context: AdapterContext): Api {
  const { url, auth, headers: own = {} } = options
  const { destination, concurrency, timeout } = context
  const client = createHttpClient({ connections: concurrency, timeout })
  const credentials = createCredentials(auth, client, context)
  const { origin, path } = targetOf(url)
  const base = withoutEnd(path, /\//)
  const fixed = { accept: 'application/json', 'user-agent': USER_AGENT, ...lowerCased(own) }

  async function once(built: BuiltRequest, { signal, keep }: SendOptions, authorization: string | null) {
    const headers = { ...fixed, ...built.headers, ...(authorization !== null && { authorization }) }
    const { method, body } = built
    return await client.send({ method, origin, path: base + built.path, headers, body, keep, signal })
  }

  const newCheck = () => createAnswerCheck({ destination, secrets: [...credentials.secrets, ...Object.values(own)] })

  return {
    async send(built, sending) {
      const first = await credentials.header(sending.signal)
      let result = await once(built, sending, first)
      // The credentials were not known: nothing was done, so it may be asked again.
      if (first !== null && isUnauthorized(result) && credentials.refused(first))
        result = await once(built, sending, await credentials.header(sending.signal))
      const shown: HttpRequest = { method: built.method, origin, path: base + built.shown, body: built.body }
      const check = newCheck()
      const what = `${destination}: ${built.method} ${origin}${shown.path}`
      const said = meant(result, sending.statuses, what)
      if (said) return read(said)
      const answer = check(shown, result)
      if (isPage(answer))
        throw new UnknownOutcomeError(
          `${what} answered ${statusLine(answer.status)} with a page for people, as a login or a firewall does`,
          { code: 'unreadable-answer' },
        )
      return read(answer)
    },
    pathOf(link) {
      const target = URL.parse(link, origin + base)
      const isHere = target?.origin === origin && target.pathname.startsWith(`${base}/`)
      return isHere ? target.pathname.slice(base.length) + target.search : null
    },
    async reach(signal) {
      const authorization = await credentials.header(signal)
      const headers = { ...fixed, ...(authorization !== null && { authorization }) }
      return await reach(client, { origin, path: `${base}/`, headers, signal }, newCheck())
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** The meaning that config gives to a status; null: it gives none. */
function meant(result: HttpResult, statuses: SendOptions['statuses'], what: string): HttpAnswer | null {
  if (result.type !== 'answered') return null
  const { status, headers } = result.answer
  const message = `${what} answered ${statusLine(status)}`
  const code = `http-${status}`
  switch (statuses?.[status]) {
    case undefined:
      return null
    case 'done':
      return result.answer
    case 'permanent':
      throw new PermanentError(message, { code, mayBeWide: !listsFaults(result.answer) })
    case 'unknown':
      throw new UnknownOutcomeError(message, { code })
    case 'later':
      throw new RetryLaterError(message, { code, notBefore: retryAfter(headers['retry-after'], Date.now()) })
  }
}

/** A system that gives pages where it gives anything has `statuses: { 200: done }` in config. */
function isPage({ body }: HttpAnswer): boolean {
  return /^\s*<(!doctype\s+html|html)\b/i.test(textOf(body.subarray(0, 200)))
}

function isUnauthorized(result: HttpResult): boolean {
  return result.type === 'answered' && result.answer.status === 401
}

function read({ status, headers, body, complete }: HttpAnswer): Answer {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [name, [value].flat().join(', ')])
  return { status, headers: Object.fromEntries(shown), answer: complete ? parsed(body) : null }
}

function parsed(body: Buffer): unknown {
  try {
    return parseWithIds(jsonTextOf(body))
  } catch {
    return null
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
