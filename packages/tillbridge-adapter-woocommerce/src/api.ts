import { Buffer } from 'node:buffer'
import {
  type AdapterContext,
  createAnswerCheck,
  createHttpClient,
  type HttpAnswer,
  type HttpRequest,
  type HttpResult,
  isNotFound,
  jsonTextOf,
  PermanentError,
  parseWithIds,
  RetryLaterError,
  retryRead,
  targetOf,
  UnknownOutcomeError,
  USER_AGENT,
  withoutEnd,
} from 'tillbridge/adapter'
import { z } from 'zod'
import type { WooCommerceOptions } from './options.ts'

const KEEP = 32 * 1024 * 1024

interface Read<T> {
  value: T
  headers: HttpAnswer['headers']
}

function hasNoApi(result: HttpResult): boolean {
  if (result.type !== 'answered' || result.answer.status !== 404) return false
  try {
    const { code } = z.object({ code: z.string() }).parse(JSON.parse(jsonTextOf(result.answer.body)))
    return code === 'rest_no_route'
  } catch {
    return true
  }
}

/** The REST API (`/wp-json/wc/v3`). Errors name the request and the shop's code, never what was sent. */
export interface ShopApi extends AsyncDisposable {
  get<T>(path: string, query: Record<string, string>, schema: z.ZodType<T>, signal: AbortSignal): Promise<Read<T>>
  write<T>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: object,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T>
}

export function createShopApi(options: WooCommerceOptions, context: AdapterContext): ShopApi {
  const { url, consumerKey, consumerSecret } = options
  const { destination, concurrency, timeout, allowPrivate } = context
  const client = createHttpClient({ connections: concurrency, timeout, allowPrivate })
  const { origin, path: folder } = targetOf(url)
  const base = `${withoutEnd(folder, /\//)}/wp-json/wc/v3`
  const credentials = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')
  const check = createAnswerCheck({ destination, secrets: [consumerKey, consumerSecret, credentials] })
  const headers = { authorization: `Basic ${credentials}`, accept: 'application/json', 'user-agent': USER_AGENT }

  async function send(request: Pick<HttpRequest, 'method' | 'path'>, body: object | null, signal: AbortSignal) {
    const written = body && {
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
    }
    const whole: HttpRequest = { ...request, origin, headers, keep: KEEP, signal, ...written }
    const result = await client.send(whole)
    if (hasNoApi(result)) {
      const why = `${destination}: ${origin}${base} answered 404, there is no API of WooCommerce`
      const todo = 'WooCommerce is off, permalinks are Plain, or the url in config is another site.'
      throw new PermanentError(`${why}: ${todo}`, { code: 'no-api' })
    }
    return check(whole, result)
  }

  /** An error if another program answered, such as a firewall. */
  function readAs<T>(schema: z.ZodType<T>, answer: HttpAnswer): T | Error {
    const why = `${destination}: the shop answered ${answer.status}`
    try {
      const parsed = schema.safeParse(parseWithIds(jsonTextOf(answer.body)))
      if (parsed.success) return parsed.data
      const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ')
      return new Error(`${why} with JSON that is not WooCommerce's (${fields})`)
    } catch {
      return new Error(`${why} with something that is not JSON`)
    }
  }

  return {
    async get(path, query, schema, signal) {
      const answer = await send(
        { method: 'GET', path: `${base}${path}?${new URLSearchParams(query)}` },
        null,
        signal,
      ).catch(retryRead)
      const value = readAs(schema, answer)
      if (value instanceof Error) throw new RetryLaterError(value.message, { code: 'unreadable-answer' })
      return { value, headers: answer.headers }
    },
    async write(method, path, body, schema, signal) {
      const value = readAs(schema, await send({ method, path: base + path }, body, signal))
      if (value instanceof Error) throw new UnknownOutcomeError(value.message, { code: 'unreadable-answer' })
      return value
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** The most that WooCommerce gives. */
export const PAGE_SIZE = 100

/** Without the header (a proxy may drop it), a full page means that there may be another. */
export function lastPage({ headers, value }: Read<unknown[]>, page: number): number {
  return Number(headers['x-wp-totalpages'] ?? (value.length < PAGE_SIZE ? page : page + 1))
}

export async function* pagesOf<T>(
  api: Pick<ShopApi, 'get'>,
  path: string,
  query: Record<string, string>,
  item: z.ZodType<T>,
  { signal, most = Number.POSITIVE_INFINITY }: { signal: AbortSignal; most?: number },
): AsyncGenerator<T[]> {
  for (let page = 1, pages = 1; page <= pages && page <= most; page += 1) {
    const asked = { ...query, per_page: String(PAGE_SIZE), page: String(page) }
    const answer = await api.get(path, asked, z.array(item), signal)
    yield answer.value
    pages = lastPage(answer, page)
  }
}

export async function readAll<T>(
  api: Pick<ShopApi, 'get'>,
  path: string,
  query: Record<string, string>,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T[]> {
  const all: T[] = []
  for await (const page of pagesOf(api, path, query, item, { signal })) for (const one of page) all.push(one)
  return all
}

/** Null: WooCommerce has none of this id. Another 404 is an error. */
export async function readOne<T>(
  api: Pick<ShopApi, 'get'>,
  path: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T | null> {
  try {
    return (await api.get(path, {}, schema, signal)).value
  } catch (error) {
    if (isNotFound(error) && /: \w+_invalid_id$/.test(error.message)) return null
    throw error
  }
}

/** A refusal's message ends with its code. */
export function saysCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.message.endsWith(`: ${code}`)
}
