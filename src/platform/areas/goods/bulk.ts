import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import { field, text } from '../../../domain/values/field.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type Client, pauseBefore, wait } from '../../http/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { isRecord, listOf, whole } from '../../http/read.ts'
import { named } from '../../http/request.ts'
import { type BulkProduct, onlyRecord, writeBulkProduct } from './product-record.ts'

export type BulkSource = Iterable<BulkProduct> | AsyncIterable<BulkProduct>

type BulkOperation = 'products.bulkInsert' | 'products.bulkUpsert'

/** Of one request (spec, Limits 1); the smaller meaning of 2 MB. */
const MOST_BYTES = 2_000_000

/** The content was at fault; another request may pass. */
const ABOUT_THE_BODY = new Set(['http-400', 'http-413', 'http-422', 'refused'])

interface Entry extends Sized {
  index: number
  extId: string
  body: object | null
  problem: string
}

/**
 * Yields the result of each request of at most 2 MB before sending the next. A refused request marks its products
 * `failed`; any other failure is thrown.
 */
export async function* sendBulk(
  { client, clock }: { client: Client; clock: Clock },
  operation: BulkOperation,
  products: BulkSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<BulkPart, void, undefined> {
  const endpoint = client.endpoint(operation)
  for await (const part of splitBySize(entriesOf(operation, products, endpoint), MOST_BYTES)) {
    const sent = part.filter(({ body }) => body !== null)
    const result = await sendPart(sent)
    const unsent = part.filter(({ body }) => body === null).map((entry) => failedItem(entry, entry.problem))
    yield { ...result, items: [...result.items, ...unsent].sort((a, b) => a.index - b.index) }
  }

  async function sendPart(sent: Entry[]): Promise<BulkPart> {
    if (sent.length === 0) return { created: 0, updated: 0, items: [], isShort: false, unmatched: [] }
    try {
      const answer = await writeAgain(sent.map(({ body }) => body))
      return readBulkAnswer(answer, operation, sent)
    } catch (error) {
      const mayPass = error instanceof RetryLaterError && error.scope === 'item'
      const isRefused = error instanceof PermanentError && ABOUT_THE_BODY.has(error.code)
      if (!mayPass && !isRefused) throw error
      return { created: null, updated: null, items: failedTogether(sent, error), isShort: false, unmatched: [] }
    }
  }

  async function writeAgain(body: object): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await client.write(operation, { body, signal })
      } catch (error) {
        // Repeatable, so an unknown outcome is retried.
        const passing = error instanceof UnknownOutcomeError ? new RetryLaterError(error.message) : error
        const pause = pauseBefore(passing, tries, clock.now(), Math.random())
        if (pause === null || signal?.aborted) throw error
        await wait(clock, pause, signal)
        if (signal?.aborted) throw error
      }
    }
  }
}

async function* entriesOf(
  operation: BulkOperation,
  products: BulkSource,
  endpoint: Endpoint,
): AsyncGenerator<Entry, void, undefined> {
  let index = 0
  for await (const product of products) yield entryOf(operation, product, index++, endpoint)
}

function entryOf(operation: BulkOperation, product: BulkProduct, index: number, endpoint: Endpoint): Entry {
  const entry = { index, extId: product.extId.trim() }
  try {
    const body = writeBulkProduct(product, `${operation}: product ${index + 1}`)
    const bytes = Buffer.byteLength(JSON.stringify(named(body, endpoint)))
    if (fitsAlone(bytes, MOST_BYTES)) return { ...entry, body, bytes, problem: '' }
    const problem = `It is ${bytes} bytes, and a request may be ${MOST_BYTES}. Send fewer of its sizes, images or prices.`
    return { ...entry, body: null, bytes: null, problem }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    return { ...entry, body: null, bytes: null, problem: error.message }
  }
}

export interface Sized {
  /** Null: not sent. */
  bytes: number | null
}

const MOST_UNSENT = 1_000

/** Cuts a stream, in order, into parts whose JSON list has at most `limit` bytes. Each item must fit alone. */
export async function* splitBySize<Item extends Sized>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
): AsyncGenerator<Item[], void, undefined> {
  let part: Item[] = []
  let size = EMPTY
  let unsent = 0
  for await (const item of items) {
    const more = sizeInList(item)
    if (size + more > limit || unsent >= MOST_UNSENT) {
      yield part
      part = []
      size = EMPTY
      unsent = 0
    }
    part.push(item)
    size += more
    if (item.bytes === null) unsent++
  }
  if (part.length > 0) yield part
}

export function fitsAlone(bytes: number, limit: number): boolean {
  return EMPTY + sizeInList({ bytes }) <= limit
}

const EMPTY = 1

function sizeInList({ bytes }: Sized): number {
  return bytes === null ? 0 : bytes + 1
}

export interface BulkItem {
  index: number
  extId: string
  /** `ignored`: there already. `accepted`: the platform gave mixed counts, or none. */
  status: 'created' | 'updated' | 'ignored' | 'accepted' | 'failed'
  errors: Readonly<Record<string, string>>
  retry: boolean
  together?: true
  cause?: PermanentError | RetryLaterError
}

export interface BulkPart {
  created: number | null
  updated: number | null
  items: BulkItem[]
  isShort: boolean
  /** Failures that match no product: then no product of the part is sure. */
  unmatched: readonly Readonly<Record<string, string>>[]
}

type SentItem = Pick<BulkItem, 'index' | 'extId'>

function readBulkAnswer(answer: unknown, kind: BulkOperation, sent: readonly SentItem[]): BulkPart {
  const records = listOf(answer).filter(isRecord)
  const record = onlyRecord(records)
  const failures = records.flatMap((each) => listOf(field(each, 'unprocessedProducts'))).map(readFailure)
  const known = new Set(sent.map(({ extId }) => extId))
  const errorsOf = new Map(failures.flatMap(({ extId, errors }) => (extId ? [[extId, errors]] : [])))
  const unmatched = failures.flatMap(({ extId, errors }) => (extId && known.has(extId) ? [] : [errors]))
  const counts = { created: record && whole(record, 'created'), updated: record && whole(record, 'updated') }
  const taken = sent.filter(({ extId }) => !errorsOf.has(extId)).length
  const status = unmatched.length > 0 ? 'accepted' : statusOfAll(kind, counts, taken)
  const items = sent.map(({ index, extId }): BulkItem => {
    const errors = errorsOf.get(extId)
    return { index, extId, status: errors ? 'failed' : status, errors: errors ?? {}, retry: false }
  })
  const { created, updated } = counts
  const counted = created === null || updated === null ? taken : created + updated
  const isShort = kind === 'products.bulkUpsert' && unmatched.length === 0 && counted < taken
  return { ...counts, items, isShort, unmatched }
}

function failedItem({ index, extId }: SentItem, message: string): BulkItem {
  return { index, extId, status: 'failed', errors: { product: message }, retry: false }
}

function failedTogether(sent: readonly SentItem[], cause: PermanentError | RetryLaterError): BulkItem[] {
  const retry = cause instanceof RetryLaterError
  const alone = sent.length === 1
  return sent.map((item) => ({ ...failedItem(item, cause.message), retry, cause, ...(!alone && { together: true }) }))
}

function statusOfAll(
  kind: BulkOperation,
  { created, updated }: { created: number | null; updated: number | null },
  taken: number,
): 'created' | 'updated' | 'ignored' | 'accepted' {
  if (created === taken) return 'created'
  if (kind === 'products.bulkInsert') return created === 0 ? 'ignored' : 'accepted'
  return updated === taken ? 'updated' : 'accepted'
}

function readFailure(value: unknown): { extId: string | null; errors: Readonly<Record<string, string>> } {
  const errors = field(value, 'errors')
  const entries = isRecord(errors) ? Object.entries(errors).map(([name, why]) => [name, wordsOf(why)]) : []
  const told = entries.length > 0 ? Object.fromEntries(entries) : { product: wordsOf(errors) }
  return { extId: text(field(value, 'product'), 'extId'), errors: told }
}

function wordsOf(why: unknown): string {
  const words = listOf(why).flatMap((each) => text({ each }, 'each') ?? [])
  return words.length > 0 ? words.join(' ') : 'It was refused without a reason.'
}
