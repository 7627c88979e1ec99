import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { MirrorChange, MirrorRow } from '../../../src/domain/catalogue/mirror.ts'
import type { StoreRecord } from '../../../src/domain/stores/store-index.ts'
import { openTestStore } from '../../empty-store.ts'
import { type Answer, createFolder, type Given, startTestHub, type TestHub } from '../../hub.ts'

export type Item = Record<string, unknown>

interface Page {
  items: Item[]
  next: string | null
  code?: string
  detail?: string
}

interface AskOptions {
  /** Another key; null: none. */
  as?: string | null
  accept?: string
}

/** A hub that knows three stores, and a system that may read everything. */
export interface Desk extends AsyncDisposable {
  hub: TestHub
  key: string
  keyOf(may: string): Promise<string>
  /** `sales?from=2026-11-20`. */
  get(path: string, options?: AskOptions): Promise<Answer<Page>>
  /** Every item, page by page. `between`: done after each page. */
  all(path: string, between?: () => Promise<void>): Promise<Item[]>
  /** Every item, as lines; the last line is taken off. */
  lines(path: string): Promise<{ items: Item[]; end: unknown }>
  save(...rows: MirrorRow[]): Promise<void>
}

export const NDJSON = 'application/x-ndjson'

/** Store 101 has the id 42, stock 12; two share the number of their stock; one is gone. */
export const STORES: StoreRecord[] = [
  storeRecord('42', { number: '101', name: 'Oslo City', stockId: '12' }),
  storeRecord('43', { number: '201', name: 'Malmö', stockId: '13', countryCode: 'SE', currency: 'SEK' }),
  storeRecord('101', { number: 'web', name: 'Webshop', stockId: '12' }),
]

/** `stores`: what the platform has called them since that noon. */
export async function openDesk(given: Given = {}, stores: readonly StoreRecord[] = STORES): Promise<Desk> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await createFolder())
  const storage = await openTestStore(join(folder.path, 'tillbridge.db'))
  await storage.saveStores([...STORES, storeRecord('7', { name: 'Closed' })], 0)
  await storage.saveStores([...stores], Date.parse('2026-11-20T12:00:00Z'))
  await storage[Symbol.asyncDispose]()
  const config = { mirror: 'all' as const, ...given.config }
  const hub = opened.use(await startTestHub({ ...given, folder: folder.path, config }))
  const key = await keyOf('customers,read:*')
  const open = opened.move()

  async function keyOf(may: string): Promise<string> {
    return (await hub.admin<{ key: string }>('keys', { system: 'bi', may })).body.key
  }

  function get(path: string, { as = key, accept }: AskOptions = {}) {
    const headers = { ...(as !== null && { authorization: `Bearer ${as}` }), ...(accept && { accept }) }
    return hub.ask<Page>(`/v1/${path}`, { headers })
  }

  return {
    hub,
    key,
    keyOf,
    get,
    async all(path, between = async () => {}) {
      const items: Item[] = []
      let next: string | null = null
      do {
        const cursor: string = next === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${next}`
        const { body, text, status } = await get(`${path}${cursor}`)
        if (status !== 200) throw new Error(text)
        items.push(...body.items)
        next = body.next
        await between()
      } while (next !== null)
      return items
    },
    async lines(path) {
      const { text } = await get(path, { accept: NDJSON })
      const found = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      return { end: found.pop(), items: found }
    },
    save: (...rows) =>
      hub.hub.storage.saveMirror(
        rows.map((row): MirrorChange => ({ type: 'put', row })),
        Date.now(),
      ),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function shareDesk(given: Given = {}): () => Desk {
  let desk: Desk | null = null
  beforeAll(async () => {
    desk = await openDesk(given)
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())
  return () => {
    if (!desk) throw new Error('The desk of this block is there in its tests only.')
    return desk
  }
}

/** A product as ProductRead leaves it. */
export function product(productId: string): MirrorRow {
  const texts = { name: 'Rain jacket', number: '4000', variant: 'BLUE', group: 'Jackets', subgroup: null }
  return row('products', productId, {
    article: '4000-BLUE',
    version: 1,
    body: {
      productId,
      extId: '4000-BLUE',
      ...texts,
      brand: 'Fjell',
      season: 'AW26',
      color: 'Blue',
      descriptionDigest: null,
      price: '1299.5',
      isWebAvailable: true,
      sizes: [{ gtin: '7090000004000', sku: 'RAIN-M', label: 'M' }],
      prices: [{ list: 'Retail NO', listId: '301', currency: 'NOK', price: '1299.5', gtin: null }],
      isDiscontinued: false,
      isDeleted: false,
    },
  })
}

export function soldLine(key: string, { body, ...given }: Partial<MirrorRow> = {}): MirrorRow {
  const article = given.article === undefined ? '7090012340011' : given.article
  return row('sales-lines', key, {
    place: '101',
    article,
    day: '2026-11-20',
    part: '42/2026-11-20T14',
    version: 1,
    ...given,
    body: {
      storeId: '42',
      gtin: article,
      unitPrice: '349.5',
      currency: 'NOK',
      saleId: 'S-1',
      stockId: '12',
      soldAt: '2026-11-20T14:03:27',
      quantity: '2',
      fullPrice: '399',
      discount: '49.5',
      cost: null,
      vatRate: '0.25',
      ...body,
    },
  })
}

/** What stock 12, or another, has of an article. */
export function level(gtin: string, given: Partial<MirrorRow> & { place?: string } = {}): MirrorRow {
  const stockId = given.place ?? '12'
  const body = { stockId, gtin, sku: null, level: '4', ...given.body }
  return row('stock', `${stockId}/${gtin}`, { place: stockId, article: gtin, version: 1, ...given, body })
}

export function row(set: MirrorRow['set'], key: string, given: Partial<MirrorRow> = {}): MirrorRow {
  return { set, key, place: null, article: null, day: '', part: null, version: 0, tie: 0, body: {}, ...given }
}

export function reservation(given: Item = {}) {
  return {
    id: 'R-1',
    stockId: 12,
    stockExtId: '101',
    gtin: '7090012340011',
    externalSKU: 'TEE-BLK-M',
    quantity: 1,
    extId: 'A1',
    status: 'Created',
    createdDateTime: '2026-11-20T13:00:00',
    expirationDateTime: '2026-11-22T13:00:00',
    ...given,
  }
}

export function storeRecord(storeId: string, given: Partial<StoreRecord>): StoreRecord {
  const nothing = { number: null, name: null, stockId: null }
  return { storeId, ...nothing, countryCode: 'NO', currency: 'NOK', zone: 'Europe/Oslo', ...given }
}
