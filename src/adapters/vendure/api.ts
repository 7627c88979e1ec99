import { Buffer } from 'node:buffer'
import type { z } from 'zod'
import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import { createHttpClient, type HttpRequest, targetOf, USER_AGENT } from '../../lib/http/http.ts'
import type { HttpAnswer } from '../../lib/http/http-exchange.ts'
import { textOf } from '../../lib/http/json-text.ts'
import type { AdapterContext } from '../adapter.ts'
import { createAnswerCheck } from '../shared/http-errors.ts'
import { ABOUT_THE_INPUT, errorCodeOf, GraphqlAnswer, LATER, REFUSING, refusalOf } from './graphql-answer.ts'
import type { VendureOptions } from './options.ts'
import { createSession } from './session.ts'

/** A hundred orders with their history are well below it. */
const KEEP = 32 * 1024 * 1024

/** A GraphQL document of one field, so that what came of it is never half known. */
export interface Operation<T> {
  type: 'query' | 'mutation'
  /** The one field of it. */
  field: string
  document: string
  schema: z.ZodType<T>
}

/** A refusal that the caller asked for (`expected`), by its code. */
interface Refusal {
  refused: string
  result: unknown
}

interface Whole<T> {
  value: T
  headers: HttpAnswer['headers']
}

/** The Admin API of one shop. Errors name the operation and the shop's code, never what was sent. */
export interface VendureApi extends AsyncDisposable {
  destination: string
  /** Throws for every refusal. */
  run<T>(operation: Operation<T>, variables: object, signal: AbortSignal): Promise<T>
  /** The same, with the headers of the answer. */
  runWhole<T>(operation: Operation<T>, variables: object, signal: AbortSignal): Promise<Whole<T>>
  /** Gives refusals with these codes back. */
  attempt<T>(
    operation: Operation<T>,
    variables: object,
    expected: readonly string[],
    signal: AbortSignal,
  ): Promise<Whole<T> | Refusal>
}

export function createVendureApi(options: VendureOptions, context: AdapterContext): VendureApi {
  const { destination, concurrency, timeout } = context
  const client = createHttpClient({ connections: concurrency, timeout })
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
    return { answer: read(textOf(answer.body)), headers: answer.headers }
  }

  /** The answer of a GraphQL server; a page of a proxy, for instance, is none. */
  function read(text: string): GraphqlAnswer {
    const parsed = GraphqlAnswer.safeParse(jsonOf(text))
    if (parsed.success) return parsed.data
    throw new UnknownOutcomeError(`${destination}: what answered is no GraphQL server`, { code: 'unreadable-answer' })
  }

  /** A session that ran out is renewed once: nothing has happened then, as every document has one field. */
  async function exchange(operation: Operation<unknown>, variables: object, signal: AbortSignal) {
    const body = { query: operation.document, variables }
    const first = await post(body, (await session?.headers(signal)) ?? {}, signal)
    if (!session || errorCodeOf(first.answer) !== 'FORBIDDEN') return first
    session.forget()
    return await post(body, await session.headers(signal), signal)
  }

  async function attempt<T>(
    operation: Operation<T>,
    variables: object,
    expected: readonly string[],
    signal: AbortSignal,
  ): Promise<Whole<T> | Refusal> {
    const { type, field, schema } = operation
    const what = `${destination}: ${field}`
    const { answer, headers: given } = await exchange(operation, variables, signal).catch((error: unknown) => {
      throw type === 'query' ? harmless(error) : error
    })
    const code = errorCodeOf(answer)
    if (code !== null) throw errorOf(type, `${what} failed: ${code}${code === 'FORBIDDEN' ? NO_RIGHT : ''}`, code)
    const result = answer.data?.[field]
    const refused = refusalOf(result)
    if (refused !== null && expected.includes(refused)) return { refused, result }
    if (refused !== null) throw refusal(what, refused)
    const parsed = schema.safeParse(result)
    if (parsed.success) return { value: parsed.data, headers: given }
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ')
    const message = `${what} answered something that is not Vendure's (${fields})`
    if (type === 'query') throw new RetryLaterError(message, { code: 'unreadable-answer' })
    throw new UnknownOutcomeError(message, { code: 'unreadable-answer' })
  }

  async function runWhole<T>(operation: Operation<T>, variables: object, signal: AbortSignal): Promise<Whole<T>> {
    const result = await attempt(operation, variables, [], signal)
    if ('value' in result) return result
    throw refusal(`${destination}: ${operation.field}`, result.refused)
  }

  return {
    destination,
    attempt,
    runWhole,
    run: async (operation, variables, signal) => (await runWhole(operation, variables, signal)).value,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** Where a new session is forbidden it, too. */
const NO_RIGHT = ' (our role lacks a right for it: doctor names those it needs; Settings → Roles)'

/** Nothing can have happened when a read fails. */
function harmless(error: unknown): unknown {
  if (!(error instanceof UnknownOutcomeError)) return error
  return new RetryLaterError(error.message, { code: error.code, cause: error.cause })
}

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
