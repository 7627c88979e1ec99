import type { Sold } from './book.ts'
import { totalOf } from './sale-payload.ts'

/** What a POS has counted since its first day, in hundredths. */
interface Counters {
  /** The number of its last Z report. */
  number: number
  sales: number
  /** Above 0. */
  returns: number
}

/** What a Z report takes from the POS: its number, the counters behind it, and what was rung up to train. */
export type Z = Counters & { training: number }

/** A POS: those of two stores may have one number, and usually have that of their store before their own. */
const posOf = (posId: number, storeId = Math.floor(posId / 10)) => `${storeId}/${posId}`

const NEW: Counters = { number: 0, sales: 0, returns: 0 }

/** The counters of each POS. Nobody at the POS can set them back; what may happen to them all the same is here. */
export function createPosCounters() {
  const counters = new Map<string, Counters>()
  /** As they were before the last report: what a copy of the POS's memory holds. */
  const copies = new Map<string, Counters>()
  const training = new Map<string, number>()
  let hidden = false

  return {
    /** Makes the next Z report of a POS: it counts these sales. */
    close({ posId, storeId }: { posId: number; storeId: number }, sales: readonly Sold[]): Z {
      const pos = posOf(posId, storeId)
      const before = counters.get(pos) ?? NEW
      const totals = sales.map(({ receipt }) => totalOf(receipt.lines))
      const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0)
      const after = {
        number: before.number + 1,
        sales: before.sales + sum(totals.filter((total) => total > 0)),
        returns: before.returns - sum(totals.filter((total) => total < 0)),
      }
      const trained = training.get(pos) ?? 0
      copies.set(pos, before)
      counters.set(pos, after)
      training.delete(pos)
      return { ...after, training: trained }
    },

    /** Rings up receipts to learn the POS: they are no sales, have no number of the others, and nobody is told. */
    train(posId: number, cents: number): void {
      training.set(posOf(posId), (training.get(posOf(posId)) ?? 0) + cents)
    },

    /** Puts a new POS where the old one was, under the same id: its counters begin anew. */
    replace(posId: number): void {
      counters.delete(posOf(posId))
    },

    /** Brings back a copy of the POS's memory that is one report old: its number is used again. */
    restore(posId: number): void {
      counters.set(posOf(posId), copies.get(posOf(posId)) ?? NEW)
    },

    /** While this is so, settlements that are made are neither sent nor listed. */
    hide(those: boolean): void {
      hidden = those
    },

    hides: (): boolean => hidden,
  }
}
