import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { type Request, type Response, Router } from 'express'
import { mayDo, readScope, type Scope } from '../../domain/access/scope.ts'
import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'
import type { StoreIndex } from '../../domain/places/store-index.ts'
import { answerProblem } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import { answerMayNot, apiKeyOf, type createApiKeyCheck } from '../api-key.ts'
import { createPages, type ReadPage, type Records } from './pages.ts'
import { type Format, MEDIA_TYPES, readAsked, writeCursor } from './query.ts'
import { type Field, READ_SETS, type ReadSet } from './sets.ts'

interface Options {
  check: ReturnType<typeof createApiKeyCheck>
  store: Records
  /** The platform's stores, as they are known at the moment. */
  storeIndex: () => StoreIndex
  /** How much the config has mirrored. */
  mirrored: 'all' | 'stock' | null
  /** The config has customers kept. */
  keepsCustomers: boolean
  logger: Logger
}

/** The scope to hand customers in is the one to read what is of persons, in the sets that the key may read. */
const PERSONAL: Scope = 'customers'

/** `GET /v1/{set}`: what the hub has a copy of, for own systems. */
export function createMirrorReads(options: Options): Router {
  const { check, store, storeIndex, logger } = options
  const router = Router()
  for (const set of READ_SETS)
    router.get(`/v1/${set.name}`, check(readScope(set.name)), (request, response) => read(set, request, response))
  return router

  async function read(set: ReadSet, request: Request, response: Response): Promise<void> {
    const missing = missingKey(set, options)
    if (missing !== null) return answerNotMirrored(response, set, missing)
    const format = formatOf(request)
    const asked = readAsked(request, set, format)
    const key = apiKeyOf(response)
    if (asked.personal && !mayDo(key, PERSONAL))
      return answerMayNot(response, key, PERSONAL, 'personal: leave it out, or use another key. ')
    const fields = set.fields.filter(({ isPersonal }) => asked.personal || !isPersonal)
    const given = { fields, isAll: format !== 'json' }
    const readPage = await createPages(store, storeIndex(), set, asked.filters, given)
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

function answerNotMirrored(response: Response, { name }: ReadSet, missing: string): void {
  answerProblem(response, {
    status: 404,
    code: 'not-mirrored',
    title: 'Not mirrored',
    detail: `The hub keeps no copy of ${name}. Its config would have to say ${missing}.`,
  })
}

type Item = Readonly<Record<string, unknown>>

/** Text of a stream: before the first item, of some items, and after the last. */
interface Writer {
  mediaType: string
  begin: string
  write(items: readonly Item[]): string
  end(count: number): string
}

/** One item a line; the last line says that it is the last. */
const ndjson: Writer = {
  mediaType: MEDIA_TYPES.ndjson,
  begin: '',
  write: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  end: (count) => `${JSON.stringify({ end: true, count })}\n`,
}

/**
 * Rows as RFC 4180 has it: UTF-8, commas, CRLF, a header. An item is a row, without its lists. With `rows` there is a row for each
 * thing in that list of an item, at least one; amounts of the whole item are left out then: a column that is added up would count
 * them once a row. `guards`: no text is a formula to a spreadsheet.
 */
function csv(fields: readonly Field[], { rows, guards }: { rows: string | null; guards: boolean }): Writer {
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

/** A spreadsheet carries out what begins so: `=HYPERLINK(…)` in the name of an article. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const NUMBER = /^[+-]?\d+(\.\d+)?$/

function cellOf(value: unknown, guards: boolean): string {
  if (value === null || value === undefined) return ''
  const text = Array.isArray(value) ? JSON.stringify(value) : String(value)
  return guards && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}

/** The most items that are read, and written, at a time: others are served in between. */
const PAGE = 500

/** How a stream ended. */
interface Streamed {
  count: number
  /** The stream was written as a whole, its end too. */
  isWhole: boolean
}

/**
 * Answers with all pages, no faster than they are taken. Rejects where the store fails: with nothing answered yet, or with an answer
 * that breaks off, so that its connection ends before its last chunk.
 */
async function streamPages(
  response: Response,
  readPage: ReadPage,
  after: MirrorCursor | null,
  writer: Writer,
): Promise<Streamed> {
  const streamed: Streamed = { count: 0, isWhole: false }
  let failure: unknown = null
  const begun = await readPage(after, PAGE)
  response.type(writer.mediaType)
  try {
    await pipeline(Readable.from(textOf(), { objectMode: true, highWaterMark: 1 }), response)
    streamed.isWhole = true
  } catch {
    // Otherwise whoever asked has gone.
    if (failure !== null) throw failure
  }
  return streamed

  async function* textOf(): AsyncGenerator<string> {
    let page = begun
    if (writer.begin !== '') yield writer.begin
    for (;;) {
      // The next one is read while this one is on its way.
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
