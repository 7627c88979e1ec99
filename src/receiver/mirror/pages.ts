import type { KeptRow, MirrorCursor, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import { type FormerPlace, tillNames } from '../../domain/places/former-place.ts'
import { numberKey, type StoreIndex, storesNumbered } from '../../domain/places/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import { type Decimal, parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import type { KeptStore } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import type { Asked } from './query.ts'
import type { ReadSet } from './sets.ts'
import { type Field, itemOf, type Known, type Row, storeNoOf } from './sets.ts'

export type Records = Pick<Store, 'stores' | 'formerPlaces' | 'mirrorPage' | 'mirrorRows' | 'customersPage'>

interface Page {
  items: Record<string, unknown>[]
  next: MirrorCursor | null
}

export type ReadPage = (after: MirrorCursor | null, limit: number) => Promise<Page>

type Rows = (after: MirrorCursor | null, limit: number) => Promise<(Row & { place: string | null })[]>

/** `isAll`: all pages will be read. Rejects with a UserError for a filter that names nothing known. */
export async function createPages(
  records: Records,
  storeIndex: StoreIndex,
  set: ReadSet,
  filters: Asked['filters'],
  { fields, isAll }: { fields: readonly Field[]; isAll: boolean },
): Promise<ReadPage> {
  const places = await placesOf(set, filters, { storeIndex, formerPlaces: records.formerPlaces })
  const rowsAfter = rowsOf()
  let reservedNow: Promise<Known['reserved']> | null = null

  return async (after, limit) => {
    // One more tells whether there is a next page.
    const found = await rowsAfter(after, limit + 1)
    const rows = found.slice(0, limit)
    const known = { storeIndex, reserved: await reservedIn(rows) }
    return {
      items: rows.filter(places.isMeant).map((row) => itemOf(fields, row, known)),
      next: found.length > limit ? cursorOf(rows.at(-1)) : null,
    }
  }

  function rowsOf(): Rows {
    if (set.name === 'stores') return storeRows
    if (set.name === 'customers') return customerRows
    const { gtin, from, to } = filters
    return mirrorRows({
      set: set.name,
      ...(gtin !== undefined && { article: gtin }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to, from: from ?? FIRST_DAY }),
    })
  }

  function mirrorRows(filter: Parameters<Records['mirrorPage']>[0] & { set: MirrorSet }): Rows {
    return async (after, limit) => {
      if (places.places === null) return await records.mirrorPage(filter, after, limit)
      const pages = await Promise.all(
        places.places.map((place) => records.mirrorPage({ ...filter, place }, after, limit)),
      )
      return pages.length === 1 ? pages.flat() : pages.flat().sort(inOrder).slice(0, limit)
    }
  }

  async function storeRows(after: MirrorCursor | null, limit: number) {
    const rows = (await records.stores()).map(storeRow).sort(inOrder)
    const page = rows.filter((row) => after === null || inOrder(row, after) > 0).slice(0, limit)
    const keys = page.map(({ key }) => key)
    const details = keys.length === 0 ? [] : await records.mirrorRows('store-details', keys)
    const byKey = new Map(details.map((row) => [row.key, row.body]))
    return page.map((row) => ({ ...row, body: { ...byKey.get(row.key), ...row.body } }))
  }

  async function customerRows(after: MirrorCursor | null, limit: number) {
    return (await records.customersPage(after?.id ?? 0, limit)).map(customerRow)
  }

  async function reservedIn(rows: readonly Row[]): Promise<Known['reserved']> {
    if (set.name !== 'stock') return () => ZERO
    if (!isAll) return await reservedOf(records, articlesOf(rows))
    reservedNow ??= reservedOfAll(records)
    return await reservedNow
  }
}

const FIRST_DAY = '0000-01-01'

const ZERO = parseDecimal(0)

function articlesOf(rows: readonly Row[]): string[] {
  return rows.map(({ body }) => body.gtin as string)
}

/** Paged by id in place of a day. */
function storeRow({ storeId, ...body }: KeptStore) {
  return { id: 0, key: storeId, day: storeId, version: 0, place: null, body, savedAt: null }
}

function customerRow({ id, updatedAt, ...body }: CustomerRecord & { id: number; updatedAt: number }) {
  return { id, key: String(id), day: '', version: 0, place: null, body: { ...body }, savedAt: updatedAt }
}

function inOrder(a: MirrorCursor, b: MirrorCursor): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1
  return a.id - b.id
}

function cursorOf(row: Pick<KeptRow, 'day' | 'id'> | undefined): MirrorCursor | null {
  return row ? { day: row.day, id: row.id } : null
}

interface Places {
  /** Null: everywhere. */
  places: readonly string[] | null
  isMeant(row: Row & { place: string | null }): boolean
}

const EVERYWHERE: Places = { places: null, isMeant: () => true }

/** Rejects with a UserError for a store without a known stock. */
async function placesOf(
  { placeIs }: ReadSet,
  { store, stock }: Asked['filters'],
  { storeIndex, formerPlaces }: { storeIndex: StoreIndex; formerPlaces(): Promise<FormerPlace[]> },
): Promise<Places> {
  if (stock !== undefined) return { ...EVERYWHERE, places: [stock] }
  if (store === undefined) return EVERYWHERE
  const key = numberKey(store)
  const stores = storesNumbered(storeIndex.stores, store)
  if (placeIs === 'stock') {
    const stocks = new Set(stores.flatMap(({ stockId }) => stockId ?? []))
    if (stocks.size === 0) throw new UserError(`store: no store ${JSON.stringify(store)} with a stock is known.`)
    return { ...EVERYWHERE, places: [...stocks] }
  }
  // A row may be stored under the store's earlier number, or its id.
  const former = await formerPlaces()
  const names = stores.flatMap((one) => tillNames(one, former))
  return {
    places: [...new Set([store, ...names])],
    isMeant(row) {
      const number = storeNoOf(row, storeIndex) ?? (row.place === row.body.storeId ? null : row.place)
      return number !== null && numberKey(number) === key
    },
  }
}

const ARTICLES_PER_READ = 100

/** Of one article. */
const MOST_RESERVED = 5_000

async function reservedOf(
  records: Pick<Records, 'mirrorPage'>,
  articles: Iterable<string>,
): Promise<Known['reserved']> {
  const left = [...new Set(articles)]
  const rows: KeptRow[] = []
  while (left.length > 0) {
    const asked = left.splice(0, ARTICLES_PER_READ)
    const pages = asked.map((article) => records.mirrorPage({ set: 'reservations', article }, null, MOST_RESERVED))
    rows.push(...(await Promise.all(pages)).flat())
  }
  return sumsOf(rows)
}

/** Faster than asking for a million articles one by one. */
async function reservedOfAll(records: Pick<Records, 'mirrorPage'>): Promise<Known['reserved']> {
  const open: KeptRow[] = []
  // Closed reservations have no article.
  for await (const page of mirrorPages(records, { set: 'reservations' }))
    open.push(...page.filter(({ article }) => article !== null))
  return sumsOf(open)
}

function sumsOf(rows: readonly KeptRow[]): Known['reserved'] {
  const keyOf = (stockId: string | null, gtin: string | null) => `${stockId}\0${gtin}`
  const grouped = Map.groupBy(rows, ({ place, article }) => keyOf(place, article))
  const sums = new Map(
    [...grouped].map(([key, group]) => [
      key,
      sumDecimals(group.flatMap(({ body }) => (body.quantity as Decimal | null) ?? [])),
    ]),
  )
  return (stockId, gtin) => sums.get(keyOf(stockId, gtin)) ?? ZERO
}
