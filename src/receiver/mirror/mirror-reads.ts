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
  storeIndex: () => StoreIndex
  mirrored: 'all' | 'stock' | null
  keepsCustomers: boolean
  logger: Logger
}

const PERSONAL: Scope = 'customers'

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

interface Writer {
  mediaType: string
  begin: string
  write(items: readonly Item[]): string
  end(count: number): string
}

/** The last line marks the end. */
const ndjson: Writer = {
  mediaType: MEDIA_TYPES.ndjson,
  begin: '',
  write: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  end: (count) => `${JSON.stringify({ end: true, count })}\n`,
}

/**
 * RFC 4180. With `rows`, a row for each entry of that list, without the item's amounts, which would be summed
 * repeatedly.
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

interface Streamed {
  count: number
  isWhole: boolean
}

/** Rejects if the storage fails: before an answer, or by breaking it off. */
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
