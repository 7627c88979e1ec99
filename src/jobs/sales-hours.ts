import type { SalesHour, SoldLine } from '../domain/mirror.ts'
import { money } from '../domain/money.ts'
import type { SalesLine } from '../platform/sales-lines.ts'

/** What was sold on a day, by store and hour. */
export interface SoldDay {
  hours: SalesHour[]
  lines: number
  /** Lines whose currency nobody knows. */
  skipped: number
}

/** Which hours of a day a store had lines in: `['09', '10']`, by its id. */
export type HoursOf = Record<string, string[]>

/**
 * The lines of a day (`yyyy-mm-dd`), those of other days left out. Equal lines make equal hours, in whatever order they came.
 * `currencyOf`: of a store, for lines that name none.
 */
export function soldOn(
  day: string,
  rows: readonly SalesLine[],
  currencyOf: (storeId: string) => string | null,
): SoldDay {
  const byHour = new Map<string, SalesHour>()
  let lines = 0
  let skipped = 0
  for (const row of rows) {
    if (!row.soldAt.startsWith(day)) continue
    lines += 1
    const line = soldLine(row, currencyOf(row.storeId))
    if (line === null) {
      skipped += 1
      continue
    }
    const hour = `${day}T${row.soldAt.slice(11, 13) || '00'}`
    const key = `${row.storeId}/${hour}`
    const found = byHour.get(key)
    if (found) found.lines.push(line)
    else byHour.set(key, { storeId: row.storeId, hour, lines: [line] })
  }
  for (const hour of byHour.values()) hour.lines = named(hour)
  return { hours: [...byHour.values()], lines, skipped }
}

/** The hours that were there before and are not now: nothing stands in them any more. */
export function emptied(day: string, before: HoursOf, now: HoursOf): SalesHour[] {
  return Object.entries(before).flatMap(([storeId, hours]) =>
    hours
      .filter((hour) => !now[storeId]?.includes(hour))
      .map((hour) => ({ storeId, hour: `${day}T${hour}`, lines: [] })),
  )
}

export function hoursOf(hours: readonly SalesHour[]): HoursOf {
  const byStore = Map.groupBy(hours, ({ storeId }) => storeId)
  return Object.fromEntries([...byStore].map(([storeId, own]) => [storeId, own.map(({ hour }) => hour.slice(11))]))
}

/** All of both. */
export function bothHours(one: HoursOf, other: HoursOf): HoursOf {
  const stores = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries(
    [...stores].map((storeId) => [storeId, [...new Set([...(one[storeId] ?? []), ...(other[storeId] ?? [])])]]),
  )
}

function soldLine({ currency, unitPrice, ...row }: SalesLine, ofStore: string | null): SoldLine | null {
  const known = [currency, ofStore].find((one) => one !== null && /^[A-Z]{3}$/.test(one)) ?? null
  if (known === null) return null
  return {
    lineId: row.lineId ?? '',
    saleId: row.saleId,
    stockId: row.stockId,
    gtin: row.gtin,
    soldAt: row.soldAt,
    quantity: row.quantity,
    unitPrice: money(unitPrice, known),
    fullPrice: row.fullPrice,
    discount: row.discount,
    cost: row.cost,
    vatRate: row.vatRate,
  }
}

/** In one order; a line without an id is named by what it says, so that it has the same name next time. */
function named({ storeId, lines }: SalesHour): SoldLine[] {
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
