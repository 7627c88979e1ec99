import { PermanentError, RetryLaterError, UserError } from '../../domain/values/errors.ts'
import { field } from '../../domain/values/field.ts'
import { dayAfter, isDay } from '../../domain/values/instant.ts'
import { chunksOf } from '../../lib/collections.ts'
import { eachInSlices } from '../../lib/semaphore.ts'
import type { Client } from '../http/client.ts'
import { type Endpoint, nameInAnswer, type QueryValues } from '../http/endpoint.ts'
import type { OperationName } from '../http/endpoints.ts'
import {
  asRecord,
  isList,
  isRecord,
  isTooMuch,
  kindOfValue,
  type Listed,
  readRows,
  UnexpectedAnswer,
  type Unreadable,
  type WireRecord,
} from '../http/read.ts'

export interface OdataRows<Row> extends Listed<Row> {
  /** Empty: these endpoints also answer failures with an empty list. */
  suspect: boolean
}

export interface OdataWindow<Row> extends OdataRows<Row>, Window {
  /** Closed, or missing. */
  daysWithoutRows: string[]
}

export interface OdataQuery<Row> {
  operation: OperationName
  query: QueryValues
  /** `$select`; null: all, as none are known. */
  columns: readonly string[] | null
  read: (record: WireRecord) => Row
  signal?: AbortSignal | undefined
}

/** No page size: a smaller `$top` cuts silently, before the filter. */
const TOP = 2_000_000

const MAX_PAGES = 10_000

/** Follows next links. */
export async function readOdata<Row>(client: Client, odata: OdataQuery<Row>, about: string): Promise<OdataRows<Row>> {
  const { operation, columns, read, signal } = odata
  const endpoint = client.endpoint(operation)
  const select = columns?.map((name) => nameInAnswer(name, endpoint)).join(',')
  const query = { ...odata.query, select, top: TOP }
  const strip = createStrip(columns)
  const rows: Row[] = []
  const rejected: Unreadable[] = []
  const asked = new Set<string | null>()
  for (let search: string | null = null; ; ) {
    if (asked.has(search) || asked.size === MAX_PAGES) {
      const message = `platform: ${operation} answered ${asked.size} parts of the rows, and each leads to one that was read, or to more: they do not end.`
      throw new RetryLaterError(message, { code: 'endless' })
    }
    asked.add(search)
    const call = { query, signal, byRow: { member: 'value' }, ...(search !== null && { search }) }
    const page: Listed<Row> & { next: string | null } = await client.read(operation, call, async (answer) => ({
      ...(await readRows(rowsIn(answer), (value) => read(strip(asRecord(value))))),
      next: nextIn(answer),
    }))
    for (const row of page.rows) rows.push(row)
    for (const row of page.rejected) rejected.push(row)
    search = page.next
    if (search === null) break
  }
  // Unrequested columns may be personal.
  const kept = rejected.map((one) => ({ ...one, record: isRecord(one.record) ? strip(one.record) : null }))
  client.rejected(operation, about, kept)
  return { rows, rejected: kept, suspect: rows.length === 0 && kept.length === 0 }
}

/** A window whose answer is too large is halved. */
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

/** Names the key, as the format of days may be at fault. */
function aboutTheWindow(error: unknown, operation: OperationName, { window }: Pick<Endpoint, 'window'>): unknown {
  if (!(error instanceof PermanentError || error instanceof RetryLaterError)) return error
  if (!/^http-(400|422|500)$/.test(error.code)) return error
  const Kind = error instanceof PermanentError ? PermanentError : RetryLaterError
  const message = `${error.message.replace(/\.$/, '')}. Its from and to were written as ${window}; platform.endpoints.${operation}.window writes them otherwise.`
  return new Kind(message, { ...error, cause: error })
}

function writtenWindow({ from, to }: Window, { window = 'quoted-day' }: Pick<Endpoint, 'window'>) {
  const isDay = window === 'quoted-day' || window === 'day'
  const texts = isDay ? { from, to } : { from: `${from}T00:00:00`, to: `${to}T23:59:59` }
  return window.startsWith('quoted') ? { from: quoted(texts.from), to: quoted(texts.to) } : texts
}

export function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

async function withCoverage<Row>(
  window: Window,
  { rows, rejected }: Listed<Row>,
  dayOf: (row: Row) => string,
): Promise<OdataWindow<Row>> {
  const present = new Set<string>()
  await eachInSlices(rows, (row) => void present.add(dayOf(row)))
  const days = daysOf(window)
  const daysWithoutRows = days.filter((day) => !present.has(day))
  const suspect = daysWithoutRows.length === days.length && rejected.length === 0
  return { ...window, rows, rejected, suspect, daysWithoutRows }
}

function rowsIn(answer: unknown): Iterable<unknown> {
  if (!isRecord(answer)) throw new UnexpectedAnswer(`${kindOfValue(answer)} instead of an object with "value"`)
  if (field(answer, 'odata.error') !== undefined) throw new UnexpectedAnswer('an odata error instead of rows')
  const value = field(answer, 'value')
  if (!isList(value)) throw new UnexpectedAnswer('there is no list in "value"')
  return value
}

/** Its host is ignored, as a gateway's may differ. */
function nextIn(answer: unknown): string | null {
  const link = field(answer, 'odata.nextLink') ?? field(answer, '@odata.nextLink')
  if (link === undefined || link === null) return null
  const next = typeof link === 'string' ? URL.parse(link, 'http://platform') : null
  if (next === null || next.search === '')
    throw new UnexpectedAnswer('only a part of the rows, and no link to the rest that can be read')
  return next.search
}

/** About customers and sellers: never asked for, and removed if they come. */
const PERSONAL_COLUMNS = `CUSTOMERID_FK FirstName LastName Email Phone Address PostalCode City CountryCode CompanyName OrgNum IsCompany
  CustomerGender AgreedSendEmail AgreedSendSMS BonusBalance BonusFactor BonusTotal SaleBonusFactor PERSONID_FK Employee`

const personal = new Set(PERSONAL_COLUMNS.toLowerCase().split(/\s+/))

export function columnsOf(needed: readonly string[], others: readonly string[]): string[] {
  const columns = new Map<string, string>()
  for (const name of [...needed, ...others]) {
    if (!/^[A-Za-z_]\w*$/.test(name))
      throw new UserError(`select: ${JSON.stringify(name)} is not the name of a column.`)
    if (isPersonal(name))
      throw new UserError(`select: ${name} holds personal data, which this client does not read. Leave it out.`)
    if (!columns.has(name.toLowerCase())) columns.set(name.toLowerCase(), name)
  }
  return [...columns.values()]
}

function createStrip(columns: readonly string[] | null): (row: WireRecord) => WireRecord {
  const wanted = columns && new Set(columns.map((name) => name.toLowerCase()))
  const known = new Map<string, boolean>()
  const stays = (name: string) => {
    const found = known.get(name) ?? (!isPersonal(name) && (!wanted || wanted.has(name.toLowerCase())))
    known.set(name, found)
    return found
  }
  return (row) => {
    const names = Object.keys(row)
    if (names.every(stays)) return row
    return Object.fromEntries(names.filter(stays).map((name) => [name, row[name]]))
  }
}

function isPersonal(name: string): boolean {
  return personal.has(name.toLowerCase())
}

/** Store-local days, both included. */
export interface Window {
  from: string
  to: string
}

/** The platform refuses more (400). */
const LONGEST = 31

/** Throws a UserError for an invalid day or order, which the platform would answer with nothing. */
export function windowsOf(from: string, to: string): Window[] {
  const days = daysOf({ from, to })
  if (days.length === 0)
    throw new UserError(`from ${from} to ${to}: the first day is after the last one. Exchange them.`)
  return [...chunksOf(days, LONGEST)].map((some) => ({ from: some[0] ?? from, to: some.at(-1) ?? to }))
}

export function halvesOf({ from, to }: Window): [Window, Window] | null {
  const days = daysOf({ from, to })
  const middle = days[Math.floor((days.length - 1) / 2)]
  if (days.length < 2 || middle === undefined) return null
  return [
    { from, to: middle },
    { from: dayAfter(middle), to },
  ]
}

/** Both included. Throws a UserError for a day that does not exist. */
export function daysOf({ from, to }: Window): string[] {
  const last = knownDay('to', to)
  const days: string[] = []
  for (let day = knownDay('from', from); day <= last; day = dayAfter(day)) days.push(day)
  return days
}

export function knownDay(name: string, text: string): string {
  if (isDay(text)) return text
  throw new UserError(`${name} ${JSON.stringify(text)}: it must be a day that exists, such as 2026-07-31.`)
}
