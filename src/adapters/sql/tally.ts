import type { BookingName } from '../../domain/books/bookings.ts'
import type { Tallied } from '../../domain/ledger/destination/tallied.ts'
import { type Money, parseDecimal } from '../../domain/values/money.ts'
import type { GivenRecord, TallyRecords } from '../../ports/tally.ts'
import { bookingKey } from './booking-key.ts'
import type { Dialect, TalliedRow } from './dialect.ts'
import type { Outcomes } from './outcome.ts'
import type { TakenRecord } from './tables/records.ts'
import type { Transaction } from './transaction.ts'

/** The column of the amount, of records that have one. */
const AMOUNTS: Readonly<Partial<Record<BookingName, string>>> = {
  bookSale: 'total',
  bookInvoice: 'amount',
  bookSettlement: 'grand_total',
  bookGiftCard: 'amount',
  bookTerminal: 'amount',
}

interface Tools {
  dialect: Dialect
  transaction: Transaction
  outcomes: Outcomes
  /** Records that are taken. */
  records: readonly TakenRecord[]
  /** The name that the database has for a table. */
  nameOf(table: string): string
}

/** Counts what was written, by the key of each row; no table is made, and none is changed. A table that is gone is no answer. */
export function createTally({ dialect, transaction, outcomes, records, nameOf }: Tools): TallyRecords {
  const tables = new Map(records.map(({ method, tables: [head] }) => [method, nameOf(head?.name ?? '')]))

  async function rowsOf(method: BookingName, keys: readonly string[], signal: AbortSignal) {
    const name = tables.get(method)
    if (name === undefined) return null
    const column = AMOUNTS[method]
    const table = { name, amount: column === undefined ? null : { column, currency: 'currency' } }
    return await transaction(signal, async (connection) =>
      dialect.tally(connection, table, keys, await dialect.schema(connection)),
    )
  }

  return {
    async tally(given, { signal }) {
      const answers = new Map<GivenRecord, Tallied>()
      try {
        for (const [method, some] of Map.groupBy(given, (one) => one.method)) {
          const rows = await rowsOf(method, [...new Set(some.map(keyOf))], signal)
          const byKey = new Map(rows?.map((row) => [row.key, row]))
          for (const one of some) answers.set(one, rows ? talliedOf(byKey.get(keyOf(one))) : NOT_TAKEN)
        }
      } catch (error) {
        throw outcomes.ofLooking(error)
      }
      return given.map((one) => answers.get(one) ?? NOT_TAKEN)
    },
  }
}

/** A record that is written once more has the key of the first time. */
function keyOf({ keys: [first] }: GivenRecord): string {
  return bookingKey(first)
}

const NOT_TAKEN: Tallied = { is: 'unknown', why: 'config does not write it there any more' }

function talliedOf(row: TalliedRow | undefined): Tallied {
  return row === undefined ? { is: 'lacking' } : { is: 'there', count: row.count, amount: amountOf(row) }
}

/** The amount of a row; null: it has none, or none that can be read. */
function amountOf({ amount, currency }: TalliedRow): Money | null {
  const code = currency?.trim().toUpperCase() ?? ''
  if (amount === null || !/^[A-Z]{3}$/.test(code) || !/^-?\d{1,30}(\.\d{1,30})?$/.test(amount)) return null
  return { amount: parseDecimal(amount), currency: code }
}
