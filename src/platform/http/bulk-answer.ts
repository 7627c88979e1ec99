import { type PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { onlyRecord } from '../areas/goods/product-record.ts'
import { isRecord, whole } from './read.ts'
import { listOf } from './read-list.ts'

/** One product of a bulk call. */
export interface BulkItem {
  /** The item's place in the list that was given, from 0. */
  index: number
  extId: string
  /**
   * `created`, `updated`; `ignored`: an insert found it there. The platform tells only how many of each: where they are mixed,
   * or no numbers came, it is `accepted`. `failed`: see `errors`.
   */
  status: 'created' | 'updated' | 'ignored' | 'accepted' | 'failed'
  /** Messages by the field that they are about; `product` where they are about the whole. Empty unless it failed. */
  errors: Readonly<Record<string, string>>
  /** The item failed for a reason that may pass: send this one again later. */
  retry: boolean
  /** The item failed with its whole request, because of it or of another one in it; nothing of that request was carried out. */
  together?: true
  /** The error of that request. */
  cause?: PermanentError | RetryLaterError
}

/** The outcome of one request of a bulk call. */
export interface BulkPart {
  /** How many were created and updated, as the platform counted; null where it did not say. */
  created: number | null
  updated: number | null
  /** Every product of the request, in the order in which they were given. */
  items: BulkItem[]
  /** An upsert counted fewer than it did not refuse: some were not carried out, and it was not said which. */
  isShort: boolean
  /** Failures that the platform told of products that cannot be told from its answer. Then no product of the part is sure. */
  unmatched: readonly Readonly<Record<string, string>>[]
}

/** A product that was sent, by its place. */
export interface SentItem {
  index: number
  extId: string
}

type Kind = 'products.bulkInsert' | 'products.bulkUpsert'

/** The platform's answer to a request that it took. Its shape is not shown: numbers that are not there are null. */
export function readBulkAnswer(answer: unknown, kind: Kind, sent: readonly SentItem[]): BulkPart {
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
  const isShort = kind === 'products.bulkUpsert' && unmatched.length === 0 && (countedOf(counts) ?? taken) < taken
  return { ...counts, items, isShort, unmatched }
}

/** How many were carried out; null where the platform did not count both. */
function countedOf({ created, updated }: { created: number | null; updated: number | null }): number | null {
  return created === null || updated === null ? null : created + updated
}

/** A product that was not sent at all. */
export function failedItem({ index, extId }: SentItem, message: string): BulkItem {
  return { index, extId, status: 'failed', errors: { product: message }, retry: false }
}

/** Products whose whole request failed. */
export function failedTogether(sent: readonly SentItem[], cause: PermanentError | RetryLaterError): BulkItem[] {
  const retry = cause instanceof RetryLaterError
  const alone = sent.length === 1
  return sent.map((item) => ({ ...failedItem(item, cause.message), retry, cause, ...(!alone && { together: true }) }))
}

/** The status that holds for each product that was taken, where the numbers leave no doubt. */
function statusOfAll(
  kind: Kind,
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

/** One message, or a list of them. */
function wordsOf(why: unknown): string {
  const words = listOf(why).flatMap((each) => text({ each }, 'each') ?? [])
  return words.length > 0 ? words.join(' ') : 'It was refused without a reason.'
}
