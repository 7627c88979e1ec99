import { Buffer } from 'node:buffer'
import {
  type AdapterContext,
  bodyText,
  createAnswerCheck,
  createHttpClient,
  type HttpAnswer,
  type HttpRequest,
  orLeave,
  PermanentError,
  RetryLaterError,
  retryRead,
  targetOf,
  UnknownOutcomeError,
  USER_AGENT,
} from 'tillbridge/adapter'
import { z } from 'zod'
import type { VendureOptions } from './options.ts'

const GraphqlAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string().nullish() }).nullish() })).nullish(),
})

type GraphqlAnswer = z.output<typeof GraphqlAnswer>

/** Its message may echo what was sent. */
const ErrorResult = z.object({ errorCode: z.string().regex(/^[A-Z_]{1,80}$/) })

function errorCodeOf({ errors }: GraphqlAnswer): string | null {
  if (!errors || errors.length === 0) return null
  const code = errors[0]?.extensions?.code ?? ''
  return /^[A-Z_]{1,80}$/.test(code) ? code : 'INTERNAL_SERVER_ERROR'
}

function refusalOf(result: unknown): string | null {
  const parsed = ErrorResult.safeParse(result)
  return parsed.success ? parsed.data.errorCode : null
}

/** The server did nothing, and never will. */
const REFUSING = new Set([
  'FORBIDDEN',
  'UNAUTHORIZED',
  'GRAPHQL_VALIDATION_FAILED',
  'GRAPHQL_PARSE_FAILED',
  'BAD_USER_INPUT',
  'USER_INPUT_ERROR',
  'ENTITY_NOT_FOUND',
  'ILLEGAL_OPERATION',
  'CHANNEL_NOT_FOUND',
])

const ABOUT_THE_INPUT = new Set(['BAD_USER_INPUT', 'USER_INPUT_ERROR', 'ENTITY_NOT_FOUND', 'ILLEGAL_OPERATION'])

/** May be over later: stock, a carrier. */
const LATER = new Set(['INSUFFICIENT_STOCK_ERROR', 'INSUFFICIENT_STOCK_ON_HAND_ERROR', 'CREATE_FULFILLMENT_ERROR'])
const LOGIN = /* GraphQL */ `
  mutation Login($username: String!, $password: String!) {
    login(username: $username, password: $password) {
      ... on ErrorResult { errorCode }
      ... on CurrentUser { id }
    }
  }
`

/** Milliseconds: comparing a password is slow. */
const LOGIN_TIMEOUT = 30_000
const TOKEN = 'vendure-auth-token'

type Post = (
  body: object,
  headers: Record<string, string>,
  signal: AbortSignal,
) => Promise<{ answer: GraphqlAnswer; headers: Record<string, string | string[] | undefined> }>

function createSession({ username, password }: VendureOptions, destination: string, post: Post) {
  let token: string | null = null
  /** Shared by all callers. */
  let coming: Promise<string> | null = null

  async function logIn(): Promise<string> {
    const signal = AbortSignal.timeout(LOGIN_TIMEOUT)
    const { answer, headers } = await post({ query: LOGIN, variables: { username, password } }, {}, signal).catch(
      retryRead,
    )
    const code = errorCodeOf(answer) ?? refusalOf(answer.data?.login)
    if (code !== null)
      throw new PermanentError(`${destination}: login was refused: ${code}. Compare username and password.`, {
        code: 'login-refused',
      })
    const given = headers[TOKEN]
    if (typeof given === 'string' && given !== '') {
      token = given
      return given
    }
    throw new PermanentError(
      `${destination}: login gave no ${TOKEN}: the shop's authOptions.tokenMethod must have 'bearer' in it, or use apiKey.`,
      { code: 'login-without-token' },
    )
  }

  const tooLate = () => new RetryLaterError(`${destination}: logging in was not over in time`, { code: 'no-time' })

  return {
    async headers(signal: AbortSignal): Promise<Record<string, string>> {
      if (token !== null) return { authorization: `Bearer ${token}` }
      coming ??= logIn().finally(() => {
        coming = null
      })
      return { authorization: `Bearer ${await orLeave(coming, signal, tooLate)}` }
    },
    discard(): void {
      token = null
    },
  }
}

/** A hundred orders with their history are below it. */
const KEEP = 32 * 1024 * 1024

/** One field per request: no result is half known. */
export interface Operation<T> {
  type: 'query' | 'mutation'
  field: string
  document: string
  schema: z.ZodType<T>
}

interface Sent {
  result: unknown
  refused: string | null
  headers: HttpAnswer['headers']
}

/** Errors name the operation and the shop's code, never what was sent. */
export interface VendureApi extends AsyncDisposable {
  destination: string
  run<T>(operation: Operation<T>, variables: object, signal: AbortSignal): Promise<T>
  runWithHeaders<T>(operation: Operation<T>, signal: AbortSignal): Promise<{ value: T; headers: HttpAnswer['headers'] }>
  /** False if it was refused with one of the codes. */
  attempt(
    operation: Operation<unknown>,
    variables: object,
    codes: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean>
}

export function createVendureApi(options: VendureOptions, context: AdapterContext): VendureApi {
  const { destination, concurrency, timeout, allowPrivate } = context
  const client = createHttpClient({ connections: concurrency, timeout, allowPrivate })
  const { origin, path } = targetOf(options.url)
  const secrets = [options.apiKey, options.password, options.channelToken].filter((text) => text !== undefined)
  const check = createAnswerCheck({ destination, secrets })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...(options.apiKey && { 'vendure-api-key': options.apiKey }),
    ...(options.channelToken && { 'vendure-token': options.channelToken }),
  }
  const session = options.apiKey === undefined ? createSession(options, destination, post) : null

  async function post(body: object, own: Record<string, string>, signal: AbortSignal) {
    const request: HttpRequest = {
      method: 'POST',
      origin,
      path,
      headers: { ...headers, ...own },
      body: Buffer.from(JSON.stringify(body)),
      keep: KEEP,
      signal,
    }
    const answer = check(request, await client.send(request))
    return { answer: read(bodyText(answer.body)), headers: answer.headers }
  }

  function read(text: string): GraphqlAnswer {
    const parsed = GraphqlAnswer.safeParse(jsonOf(text))
    if (parsed.success) return parsed.data
    throw new UnknownOutcomeError(`${destination}: what answered is no GraphQL server`, { code: 'unreadable-answer' })
  }

  /** An expired session is renewed once: nothing has happened then. */
  async function exchange(operation: Operation<unknown>, variables: object, signal: AbortSignal) {
    const body = { query: operation.document, variables }
    const first = await post(body, (await session?.headers(signal)) ?? {}, signal)
    if (!session || errorCodeOf(first.answer) !== 'FORBIDDEN') return first
    session.discard()
    return await post(body, await session.headers(signal), signal)
  }

  async function send(operation: Operation<unknown>, variables: object, signal: AbortSignal): Promise<Sent> {
    const { type, field } = operation
    const exchanged = exchange(operation, variables, signal)
    const { answer, headers } = await (type === 'query' ? exchanged.catch(retryRead) : exchanged)
    const code = errorCodeOf(answer)
    if (code !== null)
      throw errorOf(type, `${destination}: ${field} failed: ${code}${code === 'FORBIDDEN' ? NO_RIGHT : ''}`, code)
    const result = answer.data?.[field]
    return { result, refused: refusalOf(result), headers }
  }

  function parsed<T>({ type, field, schema }: Operation<T>, { result, refused }: Sent): T {
    const what = `${destination}: ${field}`
    if (refused !== null) throw refusal(what, refused)
    const read = schema.safeParse(result)
    if (read.success) return read.data
    const fields = read.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ')
    const message = `${what} answered something that is not Vendure's (${fields})`
    if (type === 'query') throw new RetryLaterError(message, { code: 'unreadable-answer' })
    throw new UnknownOutcomeError(message, { code: 'unreadable-answer' })
  }

  return {
    destination,
    run: async (operation, variables, signal) => parsed(operation, await send(operation, variables, signal)),
    async runWithHeaders(operation, signal) {
      const sent = await send(operation, {}, signal)
      return { value: parsed(operation, sent), headers: sent.headers }
    },
    async attempt(operation, variables, codes, signal) {
      const sent = await send(operation, variables, signal)
      if (sent.refused !== null && codes.includes(sent.refused)) return false
      parsed(operation, sent)
      return true
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

const NO_RIGHT = ' (our role lacks a right for it: doctor names those it needs; Settings → Roles)'

function errorOf(type: Operation<unknown>['type'], message: string, code: string): Error {
  if (REFUSING.has(code))
    return new PermanentError(message, { code: codeOf(code), mayBeWide: !ABOUT_THE_INPUT.has(code) })
  if (type === 'query') return new RetryLaterError(message, { code: codeOf(code) })
  return new UnknownOutcomeError(message, { code: codeOf(code) })
}

function refusal(what: string, refused: string): Error {
  const message = `${what} was refused: ${refused}`
  if (LATER.has(refused)) return new RetryLaterError(message, { code: codeOf(refused) })
  return new PermanentError(message, { code: codeOf(refused) })
}

function codeOf(code: string): string {
  return `vendure-${code.toLowerCase().replaceAll('_', '-')}`
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
