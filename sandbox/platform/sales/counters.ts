import type { Sold } from './book.ts'
import { totalOf } from './sale-payload.ts'

/** What a till has counted since its first day, in hundredths. */
interface Counters {
  /** The number of its last Z report. */
  number: number
  sales: number
  /** Above 0. */
  returns: number
}

/** What a Z report takes from the till: its number, the counters behind it, and what was rung up to train. */
export type Z = Counters & { training: number }

/** A till: those of two stores may have one number, and usually have that of their store before their own. */
const tillOf = (posId: number, storeId = Math.floor(posId / 10)) => `${storeId}/${posId}`

const NEW: Counters = { number: 0, sales: 0, returns: 0 }

/** The counters of each till. Nobody at the till can set them back; what may happen to them all the same is here. */
export function createTillCounters() {
  const counters = new Map<string, Counters>()
  /** As they were before the last report: what a copy of the till's memory holds. */
  const copies = new Map<string, Counters>()
  const training = new Map<string, number>()
  let hidden = false

  return {
    /** Makes the next Z report of a till: it counts these sales. */
    close({ posId, storeId }: { posId: number; storeId: number }, sales: readonly Sold[]): Z {
      const till = tillOf(posId, storeId)
      const before = counters.get(till) ?? NEW
      const totals = sales.map(({ receipt }) => totalOf(receipt.lines))
      const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0)
      const after = {
        number: before.number + 1,
        sales: before.sales + sum(totals.filter((total) => total > 0)),
        returns: before.returns - sum(totals.filter((total) => total < 0)),
      }
      const trained = training.get(till) ?? 0
      copies.set(till, before)
      counters.set(till, after)
      training.delete(till)
      return { ...after, training: trained }
    },

    /** Rings up receipts to learn the till: they are no sales, have no number of the others, and nobody is told. */
    train(posId: number, cents: number): void {
      training.set(tillOf(posId), (training.get(tillOf(posId)) ?? 0) + cents)
    },

    /** Puts a new till where the old one was, under the same id: its counters begin anew. */
    replace(posId: number): void {
      counters.delete(tillOf(posId))
    },

    /** Brings back a copy of the till's memory that is one report old: its number is used again. */
    restore(posId: number): void {
      counters.set(tillOf(posId), copies.get(tillOf(posId)) ?? NEW)
    },

    /** While this is so, settlements that are made are neither sent nor listed. */
    hide(those: boolean): void {
      hidden = those
    },

    hides: (): boolean => hidden,
  }
}
