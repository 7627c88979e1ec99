import type { SalesHour, SoldLine } from '../../domain/catalogue/mirror.ts'
import { digestOf } from '../../domain/values/digest.ts'
import { text } from '../../domain/values/field.ts'
import { idText } from '../../domain/values/id.ts'
import { money } from '../../domain/values/money.ts'
import { dayIn } from '../../domain/values/store-time.ts'
import type { SalesLine } from '../../platform/areas/sales/sales-lines.ts'
import type { Unreadable } from '../../platform/http/listed.ts'

/** The sales of a day. */
export interface SoldDay {
  lines: number
  /** Lines whose currency nobody knows. */
  skipped: number
  hours: HourSold[]
}

/** An hour of a store (`09`) in which something was sold. */
export interface HourSold {
  storeId: string
  hour: string
  make(): SalesHour
}

/** A digest of each hour of a day, by the store's id. Empty: the hour may have been announced, or not. */
export type FoundHours = Record<string, Record<string, string>>

/**
 * The lines of a day (`yyyy-mm-dd`), those of other days left out. Equal lines make equal hours, in whatever order they came.
 * `currencyOf`: of a store, for lines that name none.
 */
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

/** The hours that differ from those found before. */
export interface Changes {
  found: FoundHours
  changed: HourSold[]
  /** Hours in which nothing stands any more. */
  emptied: SalesHour[]
  /** Hours that may have been announced once this has begun: all that were, and all that will be. */
  meanwhile: FoundHours
}

/**
 * `aside`: lines that could not be read. An hour that was known, and of which one of them may be, stays as it is: told again without
 * that line, it would be void.
 */
export function changesOf(
  day: string,
  before: FoundHours,
  { hours }: Pick<SoldDay, 'hours'>,
  aside: readonly Pick<Unreadable, 'record'>[] = [],
): Changes {
  const doubted = doubtedHours(day, before, aside)
  const found: FoundHours = {}
  const meanwhile = structuredClone(before)
  const changed: HourSold[] = []
  for (const one of hours) {
    const { storeId, hour } = one
    if (doubted[storeId]?.has(hour)) continue
    const digest = digestOf(one.make()).slice(0, DIGEST)
    put(found, storeId, hour, digest)
    if (before[storeId]?.[hour] === digest) continue
    changed.push(one)
    put(meanwhile, storeId, hour, '')
  }
  for (const [storeId, hoursOf] of Object.entries(doubted))
    for (const hour of hoursOf) put(found, storeId, hour, before[storeId]?.[hour] ?? '')
  const emptied = Object.entries(before).flatMap(([storeId, ofStore]) =>
    Object.keys(ofStore)
      .filter((hour) => found[storeId]?.[hour] === undefined)
      .map((hour) => ({ storeId, hour: `${day}T${hour}`, lines: [] })),
  )
  return { found, changed, emptied, meanwhile }
}

/** The known hours that a line which cannot be read may be of: what it says of store and time counts, as far as it says any. */
function doubtedHours(day: string, before: FoundHours, aside: readonly Pick<Unreadable, 'record'>[]) {
  const doubted: Record<string, Set<string>> = {}
  for (const { record } of aside) {
    const [storeId, at] = [idText(record, 'STOREID_FK'), text(record, 'SaleDateTime')]
    if (at !== null && dayIn(at, null) !== null && !at.startsWith(day)) continue
    const hour = at === null ? null : (/^\d{4}-\d\d-\d\d[T ](\d\d)/.exec(at)?.[1] ?? null)
    for (const [known, hoursOf] of Object.entries(before)) {
      if (storeId !== null && storeId !== known) continue
      const all = Object.keys(hoursOf).filter((one) => hour === null || one === hour)
      doubted[known] = new Set([...(doubted[known] ?? []), ...all])
    }
  }
  return doubted
}

/** Enough to tell two states of an hour apart. */
const DIGEST = 12

function put(hours: FoundHours, storeId: string, hour: string, digest: string): void {
  hours[storeId] = { ...hours[storeId], [hour]: digest }
}

/** The part of a line that is kept: no more, for there are many. */
function soldLine(row: SalesLine, currency: string): SoldLine {
  return {
    lineId: row.lineId ?? '',
    saleId: row.saleId,
    stockId: row.stockId,
    gtin: row.gtin,
    soldAt: row.soldAt,
    quantity: row.quantity,
    unitPrice: money(row.unitPrice, currency),
    fullPrice: row.fullPrice,
    discount: row.discount,
    cost: row.cost,
    vatRate: row.vatRate,
  }
}

/** In one order; a line without an id is named by what it says, so that it has the same name next time. */
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
