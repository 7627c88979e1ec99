import { PermanentError, RetryLaterError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { eachInSlices } from '../../lib/slices.ts'
import type { Client } from '../http/client.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { OperationName } from '../http/endpoints.ts'
import type { Listed, Unreadable } from '../http/listed.ts'
import { nameInAnswer } from '../http/mapped-answer.ts'
import type { QueryValues } from '../http/query.ts'
import { asRecord, isRecord, kindOfValue, UnexpectedAnswer, type WireRecord } from '../http/read.ts'
import { isList, readManyRows } from '../http/read-rows.ts'
import { isTooMuch } from '../long-lists/too-much.ts'
import { createStrip } from './columns.ts'
import { daysOf, halvesOf, type Window } from './window.ts'

/** The answer of an odata endpoint. */
export interface OdataRows<Row> extends Listed<Row> {
  /** The answer was empty. These endpoints answer trouble with an empty list too, so compare with another source before you believe it. */
  suspect: boolean
}

/** The rows of some days. */
export interface OdataWindow<Row> extends OdataRows<Row>, Window {
  /** A shop that is closed, or rows that are missing. `suspect` is set where this is every day of the window. */
  daysWithoutRows: string[]
}

/** A question to an odata endpoint, and how to read the answer. */
export interface OdataQuery<Row> {
  operation: OperationName
  query: QueryValues
  /** `$select`; null: all columns, since none is known. */
  columns: readonly string[] | null
  /** Reads a row that has no other columns than these, and no personal ones. */
  read: (record: WireRecord) => Row
  signal?: AbortSignal | undefined
}

/** Not a page: a small one is applied before the filter, and cuts off in silence. Sent where the dialect has it. */
const TOP = 2_000_000

/** The most parts of an answer that are asked for, one after the other. */
const MOST_PAGES = 10_000

/** The rows of one question, in however many parts they come. Throws a PermanentError where an answer holds no list of rows. */
export async function readOdata<Row>(
  client: Client,
  odata: OdataQuery<Row>,
  about = aboutOf(odata.query),
): Promise<OdataRows<Row>> {
  const { operation, columns, read, signal } = odata
  const endpoint = client.endpoint(operation)
  const select = columns?.map((name) => nameInAnswer(name, endpoint)).join(',')
  const query = { ...odata.query, select, top: TOP }
  const strip = createStrip(columns)
  const rows: Row[] = []
  const aside: Unreadable[] = []
  const asked = new Set<string | null>()
  for (let search: string | null = null; ; ) {
    if (asked.has(search) || asked.size === MOST_PAGES) throw endless(operation, asked.size)
    asked.add(search)
    const call = { query, signal, byRow: { member: 'value' }, ...(search !== null && { search }) }
    const page: Listed<Row> & { next: string | null } = await client.read(operation, call, async (answer) => ({
      ...(await readManyRows(rowsIn(answer), (value) => read(strip(asRecord(value))))),
      next: nextIn(answer),
    }))
    for (const row of page.rows) rows.push(row)
    for (const row of page.aside) aside.push(row)
    search = page.next
    if (search === null) break
  }
  // Columns that nobody asked for may be personal.
  const kept = aside.map((one) => ({ ...one, record: isRecord(one.record) ? strip(one.record) : null }))
  client.aside(operation, about, kept)
  return { rows, aside: kept, suspect: rows.length === 0 && kept.length === 0 }
}

/**
 * The rows of these windows, one window after the other: what is kept at once is one window. One whose answer is larger than
 * what is read, or breaks off, is asked again in halves. `dayOf` gives the day of a row.
 */
export async function* readWindows<Row>(
  client: Client,
  odata: OdataQuery<Row>,
  windows: Iterable<Window>,
  dayOf: (row: Row) => string,
): AsyncGenerator<OdataWindow<Row>, void, undefined> {
  for (const window of windows) {
    const query = { ...odata.query, ...writtenWindow(window, client.endpoint(odata.operation)) }
    const found = await readOdata(client, { ...odata, query }, `${window.from} to ${window.to}`).catch(
      (error: unknown) => {
        const halves = isTooMuch(error) ? halvesOf(window) : null
        if (halves) return halves
        throw aboutTheWindow(error, odata.operation, client.endpoint(odata.operation))
      },
    )
    if (Array.isArray(found)) yield* readWindows(client, odata, found, dayOf)
    else yield await withCoverage(window, found, dayOf)
  }
}

/** A refusal may be about how the days were written: it says how, and the key that changes it. */
function aboutTheWindow(error: unknown, operation: OperationName, { window }: Pick<Endpoint, 'window'>): unknown {
  if (!(error instanceof PermanentError || error instanceof RetryLaterError)) return error
  if (!/^http-(400|422|500)$/.test(error.code)) return error
  const Kind = error instanceof PermanentError ? PermanentError : RetryLaterError
  const message = `${error.message.replace(/\.$/, '')}. Its from and to were written as ${window}; platform.endpoints.${operation}.window writes them otherwise.`
  return new Kind(message, { ...error, cause: error })
}

/** The part of the rows that was asked for, in words; empty: all of them. */
function aboutOf({ at, stockId }: QueryValues): string {
  return stockId === undefined ? `${at ?? ''}`.replaceAll("'", '') : `stock ${stockId}`
}

/** Both days are meant whole. */
function writtenWindow({ from, to }: Window, { window = 'quoted-day' }: Pick<Endpoint, 'window'>) {
  const isDay = window === 'quoted-day' || window === 'day'
  const texts = isDay ? { from, to } : { from: `${from}T00:00:00`, to: `${to}T23:59:59` }
  return window.startsWith('quoted') ? { from: quoted(texts.from), to: quoted(texts.to) } : texts
}

/** A text value of a query. */
export function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

async function withCoverage<Row>(
  window: Window,
  { rows, aside }: Listed<Row>,
  dayOf: (row: Row) => string,
): Promise<OdataWindow<Row>> {
  const present = new Set<string>()
  await eachInSlices(rows, (row) => {
    present.add(dayOf(row))
  })
  const days = daysOf(window)
  const daysWithoutRows = days.filter((day) => !present.has(day))
  // Rows of other days only: from and to were not understood.
  return {
    ...window,
    rows,
    aside,
    suspect: daysWithoutRows.length === days.length && aside.length === 0,
    daysWithoutRows,
  }
}

/** The list in the envelope. Without the envelope it is not known what came, however much it looks like a list. */
function rowsIn(answer: unknown): Iterable<unknown> {
  if (!isRecord(answer)) throw new UnexpectedAnswer(`${kindOfValue(answer)} instead of an object with "value"`)
  if (field(answer, 'odata.error') !== undefined) throw new UnexpectedAnswer('an odata error instead of rows')
  const value = field(answer, 'value')
  if (!isList(value)) throw new UnexpectedAnswer('there is no list in "value"')
  return value
}

/**
 * The query by which the rest of the rows is to be asked for; null: these are all. Where the link leads is config's to say: what stands
 * before the platform often has another name than it has itself.
 */
function nextIn(answer: unknown): string | null {
  const link = field(answer, 'odata.nextLink') ?? field(answer, '@odata.nextLink')
  if (link === undefined || link === null) return null
  const next = typeof link === 'string' ? URL.parse(link, 'http://platform') : null
  if (next === null || next.search === '')
    throw new UnexpectedAnswer('only a part of the rows, and no link to the rest that can be read')
  return next.search
}

function endless(operation: string, parts: number): RetryLaterError {
  const message = `platform: ${operation} answered ${parts} parts of the rows, and each leads to one that was read, or to more: they do not end.`
  return new RetryLaterError(message, { code: 'endless' })
}
