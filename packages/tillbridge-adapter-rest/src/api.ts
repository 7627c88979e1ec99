import { Buffer } from 'node:buffer'
import {
  type AdapterContext,
  createAnswerCheck,
  createHttpClient,
  type Effect,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  type HttpResult,
  jsonTextOf,
  listsFaults,
  messageOf,
  orElse,
  orLeave,
  PermanentError,
  parseWithIds,
  RetryLaterError,
  reach,
  retryAfter,
  retryRead,
  statusLine,
  targetOf,
  bodyText as textOf,
  UnknownOutcomeError,
  USER_AGENT,
  withoutEnd,
} from 'tillbridge/adapter'
import { z } from 'zod'
import { type BuiltRequest, buildRequest, type RequestTemplate, refuseWhenSaid } from './mapping.ts'
import type { Auth, OAuth, RestOptions } from './options.ts'

function basicHeader(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

interface Credentials {
  header(signal: AbortSignal): Promise<string | null>
  refused(header: string): boolean
  secrets: readonly string[]
}

/** RFC 6749, 5.1: a lifetime may be missing, null or 0; then a 401 tells. */
const TokenAnswer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.coerce.number().positive().catch(600),
})

const MARGIN = 30_000

/** OAuth 2 client credentials (RFC 6749, 4.4): one token for all callers, until it expires or a 401. Failures are an outage of the destination. */
function createTokens(options: OAuth, client: HttpClient, { destination }: AdapterContext): Credentials {
  const { tokenUrl, clientId, clientSecret } = options
  const basic = basicHeader(encodeURIComponent(clientId), encodeURIComponent(clientSecret))
  const secrets = [clientSecret, basic]
  const check = createAnswerCheck({ destination, secrets })
  const request = tokenRequest(options, basic)
  let token: { header: string; until: number } | null = null
  let coming: Promise<string> | null = null

  async function fetchToken(): Promise<string> {
    try {
      const answer = check(request, await client.send(request))
      const { access_token, expires_in } = TokenAnswer.parse(JSON.parse(jsonTextOf(answer.body)))
      token = { header: `Bearer ${access_token}`, until: Date.now() + expires_in * 1000 - MARGIN }
      return token.header
    } catch (error) {
      const isUnreadable = error instanceof z.ZodError || error instanceof SyntaxError
      const why = isUnreadable ? `${destination}: ${tokenUrl.replace(/\?.*/s, '')} gave no token` : messageOf(error)
      const notBefore = error instanceof RetryLaterError ? error.notBefore : null
      throw new RetryLaterError(why, { code: 'no-token', scope: 'destination', notBefore })
    } finally {
      coming = null
    }
  }

  const tooLate = () =>
    new RetryLaterError(`${destination}: the token did not come in time`, { code: 'no-token', scope: 'destination' })

  return {
    async header(signal) {
      if (token && token.until > Date.now()) return token.header
      coming ??= fetchToken()
      return await orLeave(coming, signal, tooLate)
    },
    refused(header) {
      if (token?.header === header) token = null
      return true
    },
    get secrets() {
      return token ? [...secrets, token.header] : secrets
    },
  }
}

function tokenRequest({ tokenUrl, clientId, clientSecret, scope, audience, send }: OAuth, basic: string): HttpRequest {
  const inBody = { client_id: clientId, client_secret: clientSecret }
  const fields = {
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(send === 'body' && inBody),
  }
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(send === 'header' && { authorization: basic }),
  }
  const body = Buffer.from(new URLSearchParams(fields).toString())
  return { method: 'POST', ...targetOf(tokenUrl), headers, body, keep: 64 * 1024 }
}

function createCredentials(auth: Auth | undefined, client: HttpClient, context: AdapterContext): Credentials {
  if (auth?.oauth) return createTokens(auth.oauth, client, context)
  const header = fixedHeader(auth)
  return { header: async () => header, refused: () => false, secrets: header === null ? [] : [header] }
}

function fixedHeader(auth: Auth | undefined): string | null {
  if (auth?.bearer !== undefined) return `Bearer ${auth.bearer}`
  return auth?.basic ? basicHeader(auth.basic.user, auth.basic.password) : null
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** JSON; whole numbers beyond 2^53 are text. */
  answer: unknown
}

interface SendOptions {
  signal: AbortSignal
  statuses: RequestTemplate['statuses']
  keep: number
}

/** Errors show the path of config, status and code: no data. */
export interface Api extends AsyncDisposable {
  send(request: BuiltRequest, options: SendOptions): Promise<Answer>
  reach(signal: AbortSignal): Promise<HttpAnswer>
}

export function createApi(options: RestOptions, context: AdapterContext): Api {
  const { url, auth, headers: own = {} } = options
  const { destination, concurrency, timeout, allowPrivate } = context
  const client = createHttpClient({ connections: concurrency, timeout, allowPrivate })
  const credentials = createCredentials(auth, client, context)
  const { origin, path } = targetOf(url)
  const base = withoutEnd(path, /\//)
  const fixed = { accept: 'application/json', 'user-agent': USER_AGENT, ...own }

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
      // Not authenticated: nothing was executed.
      const isUnauthorized = result.type === 'answered' && result.answer.status === 401
      if (first !== null && isUnauthorized && credentials.refused(first))
        result = await once(built, sending, await credentials.header(sending.signal))
      const shown: HttpRequest = { method: built.method, origin, path: base + built.shown, body: built.body }
      const check = newCheck()
      const what = `${destination}: ${built.method} ${origin}${shown.path}`
      const said = meant(result, sending.statuses, what)
      if (said) return read(said)
      const answer = check(shown, result)
      if (/^\s*<(!doctype\s+html|html)\b/i.test(textOf(answer.body.subarray(0, 200))))
        throw new UnknownOutcomeError(
          `${what} answered ${statusLine(answer.status)} with a page for people, as a login or a firewall does`,
          { code: 'unreadable-answer' },
        )
      return read(answer)
    },
    async reach(signal) {
      const authorization = await credentials.header(signal)
      const headers = { ...fixed, ...(authorization !== null && { authorization }) }
      return await reach(client, { origin, path: `${base}/`, headers, signal }, newCheck())
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

const MAX_ANSWER = 8 * 1024 * 1024

export interface Reading<Template> {
  where: string
  template: Template
  input: object
  signal: AbortSignal
}

/** The input and the answer, for expressions. Never throws UnknownOutcomeError. */
export async function ask(
  api: Api,
  { where, template, input, signal }: Reading<RequestTemplate>,
): Promise<object & Answer> {
  const { statuses } = template
  const answer = await api.send(buildRequest(template, input), { signal, statuses, keep: MAX_ANSWER }).catch(retryRead)
  if (answer.answer === null && answer.status < 300 && answer.status !== 204)
    throw new RetryLaterError(`${where}: the answer is not JSON, or longer than ${MAX_ANSWER / 1024 / 1024} MB`, {
      code: 'unreadable-answer',
    })
  const over = { ...input, ...answer }
  refuseWhenSaid(where, template, over)
  return over
}

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

function read({ status, headers, body, complete }: HttpAnswer): Answer {
  const shown = Object.entries(headers).map(([name, value]): [string, string] => [name, [value].flat().join(', ')])
  return {
    status,
    headers: Object.fromEntries(shown),
    answer: complete ? orElse(() => parseWithIds(jsonTextOf(body)), null) : null,
  }
}

export function isFault(result: Effect | Error): result is RetryLaterError {
  return result instanceof RetryLaterError && result.scope === 'destination'
}
