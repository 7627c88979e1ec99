import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import type { MirrorCursor, MirrorSet, StoredMirrorRow } from '../../domain/catalogue/mirror.ts'
import { hasScope, readScope, type Scope } from '../../domain/scope.ts'
import {
  type FormerPlace,
  numberKey,
  posNames,
  type StoreIndex,
  storesNumbered,
} from '../../domain/stores/store-index.ts'
import { UserError } from '../../domain/values/errors.ts'
import { type Decimal, sumDecimals, ZERO } from '../../domain/values/money.ts'
import type { Logger } from '../../lib/logger.ts'
import { orElse } from '../../lib/or-else.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorPages } from '../../storage/walk-pages.ts'
import { answerMayNot, apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { sendProblem } from '../problem.ts'
import { day, flag, name, readQuery } from '../query.ts'
import {
  type Field,
  type FieldContext,
  type Filter,
  holdsPersonal,
  itemOf,
  listsOf,
  READ_SETS,
  type ReadSet,
  type Row,
  storeNoOf,
} from './sets.ts'

type Format = 'json' | StreamFormat
type StreamFormat = 'ndjson' | 'csv'

export const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const satisfies Record<
  StreamFormat,
  string
>

interface ReadModelQuery {
  limit: number
  after: MirrorCursor | null
  personal: boolean
  /** CSV only. */
  rows: string | null
  raw: boolean
  filters: Partial<Record<Filter, string>>
}

const LARGEST_PAGE = 1_000

const MORE = 'the "next" of the page before'

const PARAMETERS = {
  limit: {
    about: `How many items at most (${LARGEST_PAGE}). A stream has all of them, and takes none.`,
    schema: { type: 'integer', minimum: 1, maximum: LARGEST_PAGE, default: 100 },
    value: z
      .string()
      .regex(/^(0*[1-9]\d{0,2}|0*1000)$/, { error: `expected a number from 1 to ${LARGEST_PAGE}` })
      .transform(Number),
  },
  cursor: {
    about: `Where to go on: ${MORE}.`,
    schema: { type: 'string' },
    value: z.string().transform((text, context) => {
      const cursor = readCursor(text)
      if (cursor === null) context.addIssue({ code: 'custom', message: `expected ${MORE}, as it was` })
      return cursor ?? z.NEVER
    }),
  },
  personal: flag('true: with personal data, for keys that have the scope customers besides.'),
  rows: {
    about:
      'CSV: a row for each thing in this list of an item, such as lines; amounts of the whole item are left out then, since a sum of them would count them twice.',
    schema: { type: 'string' },
    value: z.string(),
  },
  raw: flag('CSV, true: for a machine; texts that a spreadsheet would take for a formula get no apostrophe.'),
  store: name('Of the store with this number.'),
  stock: name('Of the stock with this id.'),
  gtin: name('About this article.'),
  from: day('Not before this day of the store.'),
  to: day('Not after this day of the store.'),
}

type ReadParameters = typeof PARAMETERS

export function readParameters(set: ReadSet): Partial<ReadParameters> {
  const names: (keyof ReadParameters)[] = ['limit', 'cursor', ...set.filters]
  if (holdsPersonal(set)) names.push('personal')
  if (listsOf(set).length > 0) names.push('rows')
  return Object.fromEntries([...names, 'raw' as const].map((name) => [name, PARAMETERS[name]]))
}

function parseReadModelQuery(request: Request, set: ReadSet, format: Format): ReadModelQuery {
  const lists = listsOf(set)
  const values = readQuery<ReadParameters>(request, readParameters(set), (values) => {
    const faults: string[] = []
    if (values.store !== undefined && values.stock !== undefined) faults.push('store and stock: expected one of them.')
    if ((values.from ?? '') > (values.to ?? '9')) faults.push('from: expected a day that is not after "to".')
    if (format !== 'json' && values.limit !== undefined)
      faults.push('limit: what is asked for as a stream (Accept) comes as a whole. Leave it out.')
    for (const name of ['rows', 'raw'] as const)
      if (format !== 'csv' && values[name] !== undefined) faults.push(`${name}: is for CSV. Send Accept: text/csv.`)
    if (values.rows !== undefined && !lists.includes(values.rows))
      faults.push(`rows: expected one of ${lists.join(', ')}.`)
    return faults
  })
  const { limit = 100, cursor: after = null, personal = false, rows = null, raw = false, ...filters } = values
  return { limit, after, personal, rows, raw, filters }
}

export function writeCursor({ day, id }: MirrorCursor): string {
  return Buffer.from(JSON.stringify([day, id])).toString('base64url')
}

export function readCursor(text: string): MirrorCursor | null {
  const found: unknown = orElse(() => JSON.parse(Buffer.from(text, 'base64url').toString()), null)
  if (!Array.isArray(found) || found.length !== 2) return null
  const [day, id] = found
  if (typeof day !== 'string' || day.includes('\0') || !Number.isSafeInteger(id)) return null
  return writeCursor({ day, id }) === text ? { day, id } : null
}

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  storage: Records
  storeIndex: () => StoreIndex
  mirrored: 'all' | 'stock' | null
  keepsCustomers: boolean
  logger: Logger
}

const PERSONAL: Scope = 'customers'

export function createMirrorReads(options: Options): Router {
  const { check, storage, storeIndex, logger } = options
  const router = Router()
  for (const set of READ_SETS)
    router.get(`/v1/${set.name}`, check(readScope(set.name)), (request, response) => read(set, request, response))
  return router

  async function read(set: ReadSet, request: Request, response: Response): Promise<void> {
    const missing = missingKey(set, options)
    if (missing !== null) {
      const detail = `The hub keeps no copy of ${set.name}. Its config would have to say ${missing}.`
      return sendProblem(response, 'not-mirrored', detail)
    }
    const format = formatOf(request)
    const asked = parseReadModelQuery(request, set, format)
    const key = apiKeyOf(response)
    if (asked.personal && !hasScope(key, PERSONAL))
      return answerMayNot(response, key, PERSONAL, 'personal: leave it out, or use another key. ')
    const fields = set.fields.filter(({ isPersonal }) => asked.personal || !isPersonal)
    const given = { fields, isAll: format !== 'json' }
    const readPage = await createPages(storage, storeIndex(), set, asked.filters, given)
    const asker = { key: key.id, system: key.system, set: set.name }
    if (asked.personal) logger.info(asker, 'mirror.personal-read')
    response.set({ 'Cache-Control': 'no-store', Vary: 'Accept' })
    if (format === 'json') {
      const { items, next } = await readPage(asked.after, asked.limit)
      return void response.json({ items, next: next && writeCursor(next) })
    }
    const writer = format === 'csv' ? csv(fields, { rows: asked.rows, guards: !asked.raw }) : ndjson
    if (request.method === 'HEAD') return void response.type(writer.mediaType).end()
    const { count, isWhole } = await streamPages(response, readPage, asked.after, writer)
    logger.info({ ...asker, count, isWhole }, 'mirror.streamed')
  }
}

function formatOf(request: Request): Format {
  const accepted = request.accepts('json', MEDIA_TYPES.ndjson, 'application/ndjson', MEDIA_TYPES.csv)
  if (accepted === MEDIA_TYPES.csv) return 'csv'
  return accepted === MEDIA_TYPES.ndjson || accepted === 'application/ndjson' ? 'ndjson' : 'json'
}

function missingKey({ kept }: ReadSet, { mirrored, keepsCustomers }: Options): string | null {
  if (kept === 'customers') return keepsCustomers ? null : 'lookups.customers, for whose answers they are kept'
  if (kept === 'all') return mirrored === 'all' ? null : 'mirror: all'
  if (kept === 'stock') return mirrored === null ? 'mirror: stock, or mirror: all' : null
  return null
}

type Item = Readonly<Record<string, unknown>>

/** The last line marks the end. */
const ndjson = {
  mediaType: MEDIA_TYPES.ndjson as string,
  begin: '',
  write: (items: readonly Item[]) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  end: (count: number) => `${JSON.stringify({ end: true, count })}\n`,
}

/**
 * RFC 4180. With `rows`, a row for each entry of that list, without the item's amounts, which would be summed
 * repeatedly.
 */
function csv(fields: readonly Field[], { rows, guards }: { rows: string | null; guards: boolean }): typeof ndjson {
  const ofItem = fields.filter(({ writing }) => writing !== 'list' && (rows === null || writing !== 'decimal'))
  const ofPart = fields.find(({ name }) => name === rows)?.fields ?? []
  const rowsOf = (item: Item): unknown[][] => {
    const found = rows === null ? [] : item[rows]
    const parts: Item[] = Array.isArray(found) && found.length > 0 ? found : [{}]
    return parts.map((part) => [...ofItem.map(({ name }) => item[name]), ...ofPart.map(({ name }) => part[name])])
  }
  const text = (cells: readonly (readonly unknown[])[]) =>
    stringify(
      cells.map((row) => row.map((value) => cellOf(value, guards))),
      { record_delimiter: '\r\n', quote_record_delimiter: true },
    )
  return {
    mediaType: MEDIA_TYPES.csv,
    begin: text([[...ofItem.map(({ name }) => name), ...ofPart.map(({ name }) => `${rows}.${name}`)]]),
    write: (items) => text(items.flatMap(rowsOf)),
    end: () => '',
  }
}

/** Spreadsheets execute it: `=HYPERLINK(…)`. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

function cellOf(value: unknown, guards: boolean): string {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value) ? JSON.stringify(value) : String(value)
  return guards && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

/** Items per page; others are served in between. */
const PAGE = 500

/** Rejects if the storage fails: before an answer, or by breaking it off. */
async function streamPages(
  response: Response,
  readPage: ReadPage,
  after: MirrorCursor | null,
  writer: typeof ndjson,
): Promise<{ count: number; isWhole: boolean }> {
  const streamed = { count: 0, isWhole: false }
  let failure: unknown = null
  const begun = await readPage(after, PAGE)
  response.type(writer.mediaType)
  try {
    await pipeline(Readable.from(textOf(), { objectMode: true, highWaterMark: 1 }), response)
    streamed.isWhole = true
  } catch {
    if (failure !== null) throw failure
  }
  return streamed

  async function* textOf(): AsyncGenerator<string> {
    let page = begun
    if (writer.begin !== '') yield writer.begin
    for (;;) {
      const coming = page.next === null ? null : readPage(page.next, PAGE)
      coming?.catch((error: unknown) => {
        failure = error
      })
      streamed.count += page.items.length
      if (page.items.length > 0) yield writer.write(page.items)
      if (coming === null) break
      page = await coming
    }
    const end = writer.end(streamed.count)
    if (end !== '') yield end
  }
}

type Records = Pick<Storage, 'stores' | 'formerPlaces' | 'mirrorPage' | 'mirrorRows' | 'customersPage'>

type ReadPage = (
  after: MirrorCursor | null,
  limit: number,
) => Promise<{ items: Record<string, unknown>[]; next: MirrorCursor | null }>

type Rows = (after: MirrorCursor | null, limit: number) => Promise<(Row & { place: string | null })[]>

/** `isAll`: all pages will be read. Rejects with a UserError for an unknown store. */
async function createPages(
  records: Records,
  storeIndex: StoreIndex,
  set: ReadSet,
  filters: ReadModelQuery['filters'],
  { fields, isAll }: { fields: readonly Field[]; isAll: boolean },
): Promise<ReadPage> {
  const places = await placesOf(set, filters, { storeIndex, formerPlaces: records.formerPlaces })
  const rowsAfter = rowsOf()
  let reservedNow: Promise<FieldContext['reserved']> | null = null

  return async (after, limit) => {
    const found = await rowsAfter(after, limit + 1)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const known = { storeIndex, reserved: await reservedIn(rows) }
    return {
      items: rows.filter(places.isMeant).map((row) => itemOf(fields, row, known)),
      next: last && found.length > limit ? { day: last.day, id: last.id } : null,
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
    // By id in place of a day.
    const all = (await records.stores()).map(({ storeId, ...body }) => {
      return { id: 0, key: storeId, day: storeId, version: 0, place: null, body, savedAt: null }
    })
    const rows = all.sort(inOrder)
    const page = rows.filter((row) => after === null || inOrder(row, after) > 0).slice(0, limit)
    const keys = page.map(({ key }) => key)
    const details = keys.length === 0 ? [] : await records.mirrorRows('store-details', keys)
    const byKey = new Map(details.map((row) => [row.key, row.body]))
    return page.map((row) => ({ ...row, body: { ...byKey.get(row.key), ...row.body } }))
  }

  async function customerRows(after: MirrorCursor | null, limit: number) {
    return (await records.customersPage(after?.id ?? 0, limit)).map(({ id, updatedAt: savedAt, ...body }) => {
      return { id, key: String(id), day: '', version: 0, place: null, body: { ...body }, savedAt }
    })
  }

  async function reservedIn(rows: readonly Row[]): Promise<FieldContext['reserved']> {
    if (set.name !== 'stock') return () => ZERO
    const articles = rows.map(({ body }) => body.gtin as string)
    if (!isAll) return await reservedOf(records, articles)
    reservedNow ??= reservedOfAll(records)
    return await reservedNow
  }
}

const FIRST_DAY = '0000-01-01'

function inOrder(a: MirrorCursor, b: MirrorCursor): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1
  return a.id - b.id
}

interface Places {
  places: readonly string[] | null
  isMeant(row: Row & { place: string | null }): boolean
}

const EVERYWHERE: Places = { places: null, isMeant: () => true }

async function placesOf(
  { placeIs }: ReadSet,
  { store, stock }: ReadModelQuery['filters'],
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
  const names = stores.flatMap((one) => posNames(one, former))
  return {
    places: [...new Set([store, ...names])],
    isMeant(row) {
      const number = storeNoOf(row, storeIndex) ?? (row.place === row.body.storeId ? null : row.place)
      return number !== null && numberKey(number) === key
    },
  }
}

const ARTICLES_PER_READ = 100

const MAX_RESERVED = 5_000

async function reservedOf(
  records: Pick<Records, 'mirrorPage'>,
  articles: Iterable<string>,
): Promise<FieldContext['reserved']> {
  const left = [...new Set(articles)]
  const rows: StoredMirrorRow[] = []
  while (left.length > 0) {
    const asked = left.splice(0, ARTICLES_PER_READ)
    const pages = asked.map((article) => records.mirrorPage({ set: 'reservations', article }, null, MAX_RESERVED))
    rows.push(...(await Promise.all(pages)).flat())
  }
  return sumsOf(rows)
}

/** Faster than asking for a million articles one by one. */
async function reservedOfAll(records: Pick<Records, 'mirrorPage'>): Promise<FieldContext['reserved']> {
  const open: StoredMirrorRow[] = []
  for await (const page of mirrorPages(records, { set: 'reservations' }))
    open.push(...page.filter(({ article }) => article !== null))
  return sumsOf(open)
}

function sumsOf(rows: readonly StoredMirrorRow[]): FieldContext['reserved'] {
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
