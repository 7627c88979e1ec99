import type { KeptRow, MirrorCursor, MirrorSet } from '../../domain/catalogue/mirror.ts'
import type { CustomerRecord } from '../../domain/people/customer-record.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { parseDecimal } from '../../domain/values/money.ts'
import type { KeptStore } from '../../store/kept.ts'
import type { Store } from '../../store/store.ts'
import type { Asked } from './asked.ts'
import { type Field, itemOf, type Known, type Row } from './fields.ts'
import { placesOf } from './places.ts'
import type { ReadSet } from './read-set.ts'
import { reservedOf, reservedOfAll } from './reserved.ts'

/** The part of the store that is read for the outside. */
export type Records = Pick<Store, 'stores' | 'formerPlaces' | 'mirrorPage' | 'mirrorRows' | 'customersPage'>

/** Some items, and where the next ones begin. Null: there are no more. */
export interface Page {
  items: Record<string, unknown>[]
  next: MirrorCursor | null
}

/** Reads a set as a request asks for it, page by page. */
export type ReadPage = (after: MirrorCursor | null, limit: number) => Promise<Page>

type Rows = (after: MirrorCursor | null, limit: number) => Promise<(Row & { place: string | null })[]>

/** `fields`: those of the set that are given. Rejects with a UserError where a filter names nothing that is known. */
export async function createPages(
  records: Records,
  storeIndex: StoreIndex,
  set: ReadSet,
  { filters, limit: asked }: Pick<Asked, 'filters' | 'limit'>,
  fields: readonly Field[],
): Promise<ReadPage> {
  const places = await placesOf(set, filters, { storeIndex, formerPlaces: records.formerPlaces })
  const rowsAfter = rowsOf()
  let reservedNow: Promise<Known['reserved']> | null = null

  return async (after, limit) => {
    // One more than is given tells whether there are more.
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
      // A row of no day is not before a day.
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
    if (asked !== 'all') return await reservedOf(records, articlesOf(rows))
    reservedNow ??= reservedOfAll(records)
    return await reservedNow
  }
}

/** Before every day of a store. */
const FIRST_DAY = '0000-01-01'

const ZERO = parseDecimal(0)

function articlesOf(rows: readonly Row[]): string[] {
  return rows.map(({ body }) => body.gtin as string)
}

/** Stores have no numbers that stay: they are gone through by their ids, as if those were days. */
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
