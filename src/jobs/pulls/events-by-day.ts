import { z } from 'zod'
import { fullnessOf } from '../../domain/accounting/settlement.ts'
import type { MirrorSet, SalesHour, SoldLine } from '../../domain/catalogue/mirror.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { field, text } from '../../domain/values/field.ts'
import { money } from '../../domain/values/money.ts'
import { countTexts, digestOf, pluralize } from '../../domain/values/text.ts'
import { chunksOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'
import { movementTypeOf } from '../../platform/payloads/goods.ts'
import { readFiscal } from '../../platform/payloads/settlement.ts'
import type { Platform } from '../../platform/platform.ts'
import type { SalesLine, Settlement, StockMovement } from '../../platform/resources/sales.ts'
import type { Storage } from '../../storage/storage.ts'
import { mirrorByKey } from '../../storage/walk-pages.ts'
import type { HubJob } from '../engine/job.ts'
import { DayState, type LookBack, openStores, planDays, pullDays, todaysOf } from './days.ts'
import { type Ingest, wireNumber } from './ingest.ts'

interface MovementOptions {
  platform: Pick<Platform, 'stockMovements'>
  storage: Pick<Storage, 'stores' | 'mirrorRows' | 'mirrorPage'>
  ingest: Pick<Ingest, 'take'>
  columns: MovementColumns
  back: LookBack
  logger: Logger
}

const ROWS_PER_READ = 500

/** Days before the checkpoint that are read again: offline POS are late. */
const MOVEMENT_OVERLAP = 1

/** Reads the stock movements of each day (odata Stockmovements), and ingests those that the mirror does not have. */
export function stockMovementsJob({ platform, storage, ingest, columns, back, logger }: MovementOptions): HubJob {
  const select = [columns.id, ...(columns.type === undefined ? [] : [columns.type])]

  return {
    name: 'stock-movements',
    async run(run) {
      const todays = todaysOf(openStores(await storage.stores(), run.now), run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, MOVEMENT_OVERLAP)
      const counts = { rows: 0, news: 0, nameless: 0 }
      return await pullDays({
        ...{ job: 'stock-movements', run, todays, logger, ...plan },
        async read(day) {
          const rows: StockMovement[] = []
          const rejected: Unreadable[] = []
          for await (const window of platform.stockMovements.list({ from: day, to: day, select }, run.signal)) {
            for (const row of window.rows) if (row.movedAt.startsWith(day)) rows.push(row)
            for (const row of window.rejected) rejected.push(row)
          }
          counts.rows += rows.length
          for (const some of chunksOf(rows, ROWS_PER_READ)) rejected.push(...(await takeNew(some, counts)))
          if (rows.length === 0 && rejected.length === 0 && (await isMirrored(storage, 'movements', day)))
            logger.warn({ day }, 'stock-movements.suspect')
          return { rows: rows.length, rejected }
        },
        note: () =>
          [
            pluralize(counts.rows, 'movement'),
            `${counts.news} new`,
            ...countTexts({ 'without an id': counts.nameless }),
          ].join(', '),
      })
    },
  }

  async function takeNew(rows: readonly StockMovement[], counts: { news: number; nameless: number }) {
    const ids = rows.map(({ record }) => text(record, columns.id) ?? '')
    const known = new Set((await storage.mirrorRows('movements', ids)).map(({ key }) => key))
    const missing = rows.filter((_, index) => !known.has(ids[index] ?? ''))
    const payloads = missing.flatMap((row) => movementPayload(row, columns) ?? [])
    counts.nameless += missing.length - payloads.length
    const { news, rejected } = await ingest.take('StockMovementCreated', payloads)
    counts.news += news
    return rejected
  }
}

/** True if the mirror has something of a day. */
async function isMirrored(storage: Pick<Storage, 'mirrorPage'>, set: MirrorSet, day: string): Promise<boolean> {
  return (await storage.mirrorPage({ set, from: day, to: day }, null, 1)).length > 0
}

export interface MovementColumns {
  id: string
  /** Without it, the reason of a movement is unknown. */
  type?: string | undefined
}

/** As webhooks bring it (spec, "StockMovementCreated"); null: without an id. */
export function movementPayload({ record, stockId, gtin, quantity, movedAt }: StockMovement, columns: MovementColumns) {
  const id = text(record, columns.id)
  if (id === null) return null
  return {
    movementId: field(record, columns.id),
    stockId: field(record, 'Stockid') ?? stockId,
    gtin,
    type: columns.type === undefined ? null : movementTypeOf(text(record, columns.type)),
    quantity: wireNumber(quantity),
    createdDateTime: movedAt,
  }
}

interface SettlementOptions {
  platform: Pick<Platform, 'settlements'>
  storage: Pick<Storage, 'stores' | 'mirrorRows'>
  ingest: Pick<Ingest, 'take' | 'announce'>
  mirrored: boolean
  back: LookBack
  logger: Logger
}

/** Days before the checkpoint that are read again: a POS that was not closed in the evening is settled the day after. */
const SETTLEMENT_OVERLAP = 2

/** Takes the settlements of each day (spec, "pull at end of day or at night"). Run by an operator, it asks for all recent days. */
export function settlementsJob({ platform, storage, ingest, mirrored, back, logger }: SettlementOptions): HubJob {
  return {
    name: 'settlements',
    async run(run) {
      const stores = openStores(await storage.stores(), run.now)
      if (stores.length === 0) return { note: 'no stores are known yet' }
      const todays = todaysOf(stores, run.now)
      const plan = planDays(DayState.safeParse(run.state).data ?? null, todays, back, SETTLEMENT_OVERLAP, run.asked)
      const counts = { settlements: 0, news: 0 }
      return await pullDays({
        ...{ job: 'settlements', run, todays, logger, ...plan },
        async read(day) {
          const { rows, rejected } = await platform.settlements.list({ day }, run.signal)
          const records = rows.map(({ record }) => record)
          const taken = await ingest.take('POSSettlementCreated', records)
          if (mirrored) await ingest.announce('SettlementRead', await richer(rows, storage))
          counts.news += taken.news
          counts.settlements += rows.length
          return { rows: rows.length, rejected: [...rejected, ...taken.rejected] }
        },
        note: () => `${pluralize(counts.settlements, 'settlement')}, ${counts.news} new`,
      })
    },
  }
}

/** Settlements that were pushed in part: their event is known, so the rest goes to the mirror by itself. */
async function richer(rows: readonly Settlement[], storage: Pick<Storage, 'mirrorRows'>): Promise<object[]> {
  const records: object[] = []
  for (const some of chunksOf(rows, ROWS_PER_READ)) {
    const ids = some.map(({ settlementId }) => settlementId)
    const kept = await mirrorByKey(storage, 'settlements', ids)
    for (const row of some) {
      const before = kept.get(row.settlementId)
      if (before !== undefined && before.version < fullnessOf(row, readFiscal(row.record))) records.push(row.record)
    }
  }
  return records
}

interface SalesLineOptions {
  platform: Pick<Platform, 'salesLines'>
  storage: Pick<Storage, 'stores' | 'mirrorPage'>
  ingest: Pick<Ingest, 'announce'>
  back: LookBack
  logger: Logger
}

/** Days before the checkpoint that are read again: offline POS are late, and lines are voided. */
const SALES_OVERLAP = 2

/** Besides those that the spec names. */
const COLUMNS = 'SALESLINEID SALEID STOCKID_FK Discount Cost VATPercent Currency'.split(' ')

type DayRead = z.output<typeof DayRead>

const DayRead = z.object({
  lines: z.number(),
  hours: z.record(z.string(), z.record(z.string(), z.string())),
  /** Lines of an answer that was not believed. */
  doubted: z.number().optional(),
})

/** A loss of lines above both, number and part, is believed only if the next answer has as few. */
const VOIDED = { lines: 20, part: 0.05 }

const State = DayState.extend({ read: z.record(z.string(), DayRead) })

/** Reads the sales lines of each day (odata Saleslines), and announces each hour of a store that changed, complete. */
export function salesLinesJob({ platform, storage, ingest, back, logger }: SalesLineOptions): HubJob {
  return {
    name: 'sales-lines',
    async run(run) {
      const stores = await storage.stores()
      const currencies = new Map(stores.map(({ storeId, currency }) => [storeId, currency]))
      const todays = todaysOf(openStores(stores, run.now), run.now)
      const before = State.safeParse(run.state).data ?? null
      const plan = planDays(before, todays, back, SALES_OVERLAP)
      const read = Object.fromEntries(
        Object.entries(before?.read ?? {}).filter(([day]) => day >= plan.from || day in plan.state.again),
      )
      const state = { ...plan.state, read }
      const counts = { lines: 0, changed: 0, skipped: 0, suspect: 0 }
      let columns = COLUMNS

      async function soldLines(day: string) {
        try {
          return await soldWith(columns, day, currencies, run.signal)
        } catch (error) {
          // A platform may have only the columns that the spec names (spec, "Sales lines").
          if (!(error instanceof PermanentError && error.code === 'http-400') || columns.length === 0) throw error
          const sold = await soldWith([], day, currencies, run.signal)
          columns = []
          logger.warn({ columns: COLUMNS }, 'sales-lines.columns-refused')
          return sold
        }
      }

      const result = await pullDays({
        ...{ job: 'sales-lines', run, todays, logger, ...plan, state },
        async read(day) {
          const { sold, rejected } = await soldLines(day)
          const known = read[day] ?? { lines: 0, hours: {} }
          if (await isSuspect(day, sold, known)) {
            counts.suspect += 1
            read[day] = { ...known, doubted: sold.lines }
            logger.warn({ day, lines: sold.lines, before: known.lines }, 'sales-lines.suspect')
            return { rows: sold.lines, rejected, isSuspect: true }
          }
          counts.lines += sold.lines
          counts.skipped += sold.skipped
          const { changed, emptied, found, meanwhile } = changesOf(day, known.hours, sold, rejected.length > 0)
          if (changed.length > 0) {
            // Stored first: what was announced must be known in case it is void the next time.
            read[day] = { lines: sold.lines, hours: meanwhile }
            await run.save(state)
          }
          const hours = changed.values().map((hour) => hour.make())
          await ingest.announce('SalesLinesRead', hours)
          await ingest.announce('SalesLinesRead', emptied)
          counts.changed += changed.length + emptied.length
          read[day] = { lines: sold.lines, hours: found }
          return { rows: sold.lines, rejected }
        },
        note: () => summaryOf(counts),
      })
      if (counts.skipped > 0) logger.warn({ lines: counts.skipped }, 'sales-lines.without-currency')
      return result
    },
  }

  async function soldWith(
    select: readonly string[],
    day: string,
    currencies: ReadonlyMap<string, string | null>,
    signal: AbortSignal,
  ) {
    const currencyOf = (storeId: string) => currencies.get(storeId) ?? null
    let sold = soldOn(day, [], currencyOf)
    const rejected: Unreadable[] = []
    for await (const window of platform.salesLines.list({ from: day, to: day, select }, signal)) {
      sold = soldOn(day, window.rows, currencyOf)
      for (const row of window.rejected) rejected.push(row)
    }
    return { sold, rejected }
  }

  /** These endpoints answer errors with an empty list, or with a part of one: no store voids half of a day. */
  async function isSuspect(day: string, { lines }: SoldDay, before: DayRead): Promise<boolean> {
    if (lines < before.lines / 2) return true
    const isFew = lines < before.lines - Math.max(VOIDED.lines, before.lines * VOIDED.part)
    if (isFew && before.doubted !== lines) return true
    return lines === 0 && (await isMirrored(storage, 'sales', day))
  }
}

function summaryOf(counts: { lines: number; changed: number; skipped: number; suspect: number }): string {
  const skipped = counts.skipped > 0 ? `, ${pluralize(counts.skipped, 'line')} without a currency` : ''
  const suspect = counts.suspect > 0 ? `, ${pluralize(counts.suspect, 'day')} suspiciously empty` : ''
  return `${pluralize(counts.lines, 'line')}, ${pluralize(counts.changed, 'other hour')}${skipped}${suspect}`
}

export interface SoldDay {
  lines: number
  skipped: number
  hours: HourSold[]
}

/** `hour`: `09`. */
interface HourSold {
  storeId: string
  hour: string
  make(): SalesHour
}

/** Digest by store id and hour. Empty: possibly announced. */
type FoundHours = Record<string, Record<string, string>>

/** The lines of a day (`yyyy-mm-dd`), others left out. Equal lines make equal hours in any order. */
export function soldOn(
  day: string,
  rows: readonly SalesLine[],
  currencyOf: (storeId: string) => string | null,
): SoldDay {
  const byHour = new Map<string, { storeId: string; hour: string; sold: SoldLine[] }>()
  const counts = { lines: 0, skipped: 0 }
  for (const row of rows) {
    if (!row.soldAt.startsWith(day)) continue
    counts.lines += 1
    const { storeId } = row
    const currency = [row.currency, currencyOf(storeId)].find((one) => one !== null && /^[A-Z]{3}$/.test(one))
    if (!currency) {
      counts.skipped += 1
      continue
    }
    const hour = row.soldAt.slice(11, 13) || '00'
    const key = `${storeId}/${hour}`
    const found = byHour.get(key) ?? { storeId, hour, sold: [] }
    found.sold.push(soldLine(row, currency))
    byHour.set(key, found)
  }
  const hours = [...byHour.values()].map(({ storeId, hour, sold }) => ({
    storeId,
    hour,
    make: () => ({ storeId, hour: `${day}T${hour}`, lines: named(storeId, sold) }),
  }))
  return { ...counts, hours }
}

/** `isPartial`: some lines of the day could not be read. The known hours stay then, since the lines that are lacking would be void. */
export function changesOf(day: string, before: FoundHours, { hours }: Pick<SoldDay, 'hours'>, isPartial = false) {
  const found: FoundHours = isPartial ? structuredClone(before) : {}
  // What may have been announced if the run is cut off.
  const meanwhile = structuredClone(before)
  const changed: HourSold[] = []
  for (const one of hours) {
    const { storeId, hour } = one
    const known = before[storeId]?.[hour]
    if (isPartial && known !== undefined) continue
    const digest = digestOf(one.make()).slice(0, DIGEST)
    put(found, storeId, hour, digest)
    if (known === digest) continue
    changed.push(one)
    put(meanwhile, storeId, hour, '')
  }
  const emptied = Object.entries(before).flatMap(([storeId, ofStore]) =>
    Object.keys(ofStore)
      .filter((hour) => found[storeId]?.[hour] === undefined)
      .map((hour): SalesHour => ({ storeId, hour: `${day}T${hour}`, lines: [] })),
  )
  return { found, changed, emptied, meanwhile }
}

const DIGEST = 12

function put(hours: FoundHours, storeId: string, hour: string, digest: string): void {
  hours[storeId] = { ...hours[storeId], [hour]: digest }
}

function soldLine(row: SalesLine, currency: string): SoldLine {
  const { lineId, saleId, stockId, gtin, soldAt, quantity, unitPrice, fullPrice, discount, cost, vatRate } = row
  const sold = { lineId: lineId ?? '', saleId, stockId, gtin, soldAt, quantity }
  return { ...sold, unitPrice: money(unitPrice, currency), fullPrice, discount, cost, vatRate }
}

/** A line without an id is named by its contents, the same each time. */
function named(storeId: string, lines: readonly SoldLine[]): SoldLine[] {
  const sorted = lines.map((line) => ({ line, text: JSON.stringify(line) }))
  sorted.sort((a, b) => compare(a.line.lineId, b.line.lineId) || compare(a.text, b.text))
  const seen = new Map<string, number>()
  return sorted.map(({ line, text }) => {
    if (line.lineId !== '') return line
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    const { soldAt, gtin, quantity, unitPrice } = line
    return { ...line, lineId: ['~', storeId, soldAt, gtin ?? '', quantity, unitPrice.amount, count].join('/') }
  })
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
