import type { SalesHour, SoldLine } from '../domain/mirror.ts'
import { money } from '../domain/money.ts'
import type { SalesLine } from '../platform/sales-lines.ts'

/** What was sold on a day, by store and hour. */
export interface SoldDay {
  lines: number
  /** Lines whose currency nobody knows. */
  skipped: number
  hoursOf: HoursOf
  /** Each hour, once: what was given is not kept, for a day may have many lines. */
  take(): Generator<SalesHour>
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
  const own = rows.filter(({ soldAt }) => soldAt.startsWith(day))
  const priced = own.flatMap((row) => {
    const currency = [row.currency, currencyOf(row.storeId)].find((one) => one !== null && /^[A-Z]{3}$/.test(one))
    return currency ? [{ row, currency }] : []
  })
  const stores = Map.groupBy(priced, ({ row }) => row.storeId)
  const hours = [...stores].map(([storeId, sold]) => ({
    storeId,
    byHour: Map.groupBy(sold, ({ row }) => row.soldAt.slice(11, 13) || '00'),
  }))

  return {
    lines: own.length,
    skipped: own.length - priced.length,
    hoursOf: Object.fromEntries(hours.map(({ storeId, byHour }) => [storeId, [...byHour.keys()]])),
    *take() {
      for (const { storeId, byHour } of hours)
        for (const [hour, sold] of byHour) {
          byHour.delete(hour)
          yield { storeId, hour: `${day}T${hour}`, lines: named(storeId, sold.map(soldLine)) }
        }
    },
  }
}

/** The hours that were there before and are not now: nothing stands in them any more. */
export function emptied(day: string, before: HoursOf, now: HoursOf): SalesHour[] {
  return Object.entries(before).flatMap(([storeId, hours]) =>
    hours
      .filter((hour) => !now[storeId]?.includes(hour))
      .map((hour) => ({ storeId, hour: `${day}T${hour}`, lines: [] })),
  )
}

/** All of both. */
export function bothHours(one: HoursOf, other: HoursOf): HoursOf {
  const stores = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries(
    [...stores].map((storeId) => [storeId, [...new Set([...(one[storeId] ?? []), ...(other[storeId] ?? [])])]]),
  )
}

function soldLine({ row, currency }: { row: SalesLine; currency: string }): SoldLine {
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
