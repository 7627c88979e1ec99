import { PermanentError, RetryLaterError, UnknownOutcomeError } from '../../../domain/values/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { type BulkPart, failedItem, failedTogether, readBulkAnswer } from '../../http/bulk-answer.ts'
import type { Client } from '../../http/client.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { named } from '../../http/request.ts'
import { pauseBefore, wait } from '../../http/retry.ts'
import { type BulkProduct, sentProduct } from './product-body.ts'
import { fitsAlone, type Sized, splitBySize } from './product-split.ts'

/** Any number of products: they are read as they are sent, so they need not be in memory. */
export type BulkSource = Iterable<BulkProduct> | AsyncIterable<BulkProduct>

type BulkOperation = 'products.bulkInsert' | 'products.bulkUpsert'

/** The most of one request (spec, Limits 1). Of the two meanings of 2 MB the smaller. */
const MOST_BYTES = 2_000_000

/** The whole request failed because of what is in it; another may pass. */
const ABOUT_THE_BODY = new Set(['http-400', 'http-413', 'http-422', 'refused'])

/** A product on its way: what is sent of it, or why it is not. */
interface Entry extends Sized {
  index: number
  extId: string
  body: object | null
  problem: string
}

/**
 * Sends products in requests of at most 2 MB, one after the other, and yields what came of each request before the next one.
 * A request that failed for a reason that may pass is sent again, three times in all: neither insert nor upsert does anything
 * twice for one extId. After that, what concerns this request only makes its products `failed` with `retry`; where nobody
 * would get through, or nobody knows what happened, its error is thrown: go on later from the first index that was not
 * yielded. Products that cannot be sent (too large, no decimal) are `failed` and do not stop the others.
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
        // To send it twice does no harm, so not to know is no reason to stop.
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
    const body = sentProduct(product, `${operation}: product ${index + 1}`)
    // As it will be sent: an operator may give its fields longer names.
    const bytes = Buffer.byteLength(JSON.stringify(named(body, endpoint)))
    if (fitsAlone(bytes, MOST_BYTES)) return { ...entry, body, bytes, problem: '' }
    const problem = `It is ${bytes} bytes, and a request may be ${MOST_BYTES}. Send fewer of its sizes, images or prices.`
    return { ...entry, body: null, bytes: null, problem }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    return { ...entry, body: null, bytes: null, problem: error.message }
  }
}
