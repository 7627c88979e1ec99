import { idText, text } from '../../../domain/values/field.ts'
import type { Decimal } from '../../../domain/values/money.ts'
import type { Client } from '../../http/client.ts'
import {
  decimal,
  type Listed,
  readListed,
  requiredDecimal,
  requiredId,
  requiredText,
  type WireRecord,
  whole,
} from '../../http/read.ts'
import { unsendable } from '../../http/written.ts'

/** A store's sales of one day, as the platform has added them up. */
export interface DayTotal {
  storeId: string
  day: string
  sales: number | null
  /** Pieces, returns taken off. */
  quantity: Decimal
  /** The sum of the lines, VAT included. */
  total: Decimal
  discount: Decimal | null
  vat: Decimal | null
  group: { name: string | null; value: string | null }
  record: WireRecord
}

interface AggregateQuery {
  from: string
  to: string
  /** The grouping: one of `Brand`, `Empl`, `Gender`, `Group`, `Hours`, `Pos`; a row for each value of it. */
  groupings?: string | undefined
  storeId?: string | undefined
}

/** Sums of sales, made by the platform each night: today is not in them. Not in the spec. */
export interface Aggregates {
  /** GET /api/Aggregates. */
  list(query: AggregateQuery, signal?: AbortSignal): Promise<Listed<DayTotal>>
}

const DAY = /^\d{4}-\d\d-\d\d$/

export function createAggregates(client: Client): Aggregates {
  return {
    async list({ from, to, groupings, storeId }, signal) {
      for (const day of [from, to]) if (!DAY.test(day)) throw unsendable('aggregates.list:', `${day} is not a day.`)
      const store = storeId === undefined ? {} : { storeId }
      const listed = await client.read(
        'aggregates.list',
        { query: { from, to, groupings }, ...store, signal },
        (answer) => readListed(answer, 'day', readTotal),
      )
      // A parameter or header that the platform does not know is ignored by it in silence. What is unreadable may be of any day.
      const isAskedFor = (day: string | null, of: string | null) =>
        (day === null || (day >= from && day <= to)) && (of === null || (storeId ?? of) === of)
      const rows = listed.rows.filter((one) => isAskedFor(one.day, one.storeId))
      const aside = listed.aside.filter(({ record }) => isAskedFor(totalDay(record), idText(record, 'storeId')))
      client.aside('aggregates.list', storeId === undefined ? '' : `store ${storeId}`, aside)
      return { rows, aside }
    },
  }
}

/** The day that a row is of, as far as it says one; also of a row that cannot be read whole. */
export function totalDay(record: unknown): string | null {
  const day = text(record, 'saleDate')?.slice(0, 10)
  return day !== undefined && DAY.test(day) ? day : null
}

function readTotal(record: WireRecord): DayTotal {
  return {
    storeId: requiredId(record, 'storeId'),
    day: requiredText(record, 'saleDate').slice(0, 10),
    sales: whole(record, 'saleCount'),
    quantity: requiredDecimal(record, 'qty'),
    total: requiredDecimal(record, 'lineTotal'),
    discount: decimal(record, 'discount'),
    vat: decimal(record, 'vat'),
    group: { name: text(record, 'colName'), value: text(record, 'colValue') },
    record,
  }
}
