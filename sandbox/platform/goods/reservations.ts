import { randomUUID } from 'node:crypto'
import { Refusal } from '../refusal.ts'
import { storeTime } from '../sales/clock.ts'
import type { Emit } from '../sales/emit.ts'
import type { Stock } from '../stores.ts'
import type { Article } from './assortment.ts'
import type { Goods } from './held.ts'

/** Pieces of an article, kept in a stock for somebody. */
export interface Reservation {
  /** A GUID. */
  id: string
  stock: Stock
  article: Article
  identity: string
  quantity: number
  customerId: number | null
  /** The order that it is kept for. */
  extId: string | null
  /** Milliseconds since 1970. */
  createdAt: number
  expiresAt: number
  /** `Used`: the goods have left, with the customer or in a parcel. */
  state: 'Kept' | 'Released' | 'Expired' | 'Used'
}

/** For whom, and how long. */
export interface Reason {
  customerId?: number | null
  extId?: string | null
  hours?: number | null | undefined
}

/** If nobody says (facts, §3 "Stockreservation"). */
const HOURS = 72
const HOUR = 3_600_000

/** Goods that are kept: they stay in the level, and are missing from what can be sold. */
export function createReservations({ catalogue, stock: levels }: Goods, now: () => number, emit: Emit) {
  const reservations = new Map<string, Reservation>()

  function end(kept: Reservation, state: 'Released' | 'Expired' | 'Used'): Reservation {
    if (kept.state !== 'Kept') throw new Refusal(409, `Reservation ${kept.id} is ${kept.state.toLowerCase()} already.`)
    const ended = { ...kept, state }
    reservations.set(kept.id, ended)
    levels.reserve(kept.stock.StockId, kept.identity, -kept.quantity)
    if (state !== 'Used') emit('StockReservationExpired', payloadOf(ended, now()), kept.stock)
    return ended
  }

  return {
    /** In the order in which they were made. */
    all: (): Reservation[] => [...reservations.values()],

    /** Keeps each line for somebody. What the catalogue does not have cannot be kept, and is left out. */
    keep(
      stock: Stock,
      lines: readonly { article: Article; quantity: number }[],
      { customerId = null, extId = null, hours }: Reason = {},
    ): Reservation[] {
      return lines.flatMap(({ article, quantity }) => {
        const item = catalogue.find({ gtin: article.gtin })
        if (!item) return []
        const { identity } = item.size
        const createdAt = now()
        const expiresAt = createdAt + (hours ?? HOURS) * HOUR
        const about = { stock, article, identity, quantity, customerId, extId, createdAt, expiresAt }
        const kept: Reservation = { id: randomUUID(), ...about, state: 'Kept' }
        reservations.set(kept.id, kept)
        levels.reserve(stock.StockId, identity, quantity)
        emit('StockReservationCreated', payloadOf(kept, null), stock)
        return [kept]
      })
    },

    /** Keeps another number of it, or for so long from now on. */
    change(
      id: string,
      { hours, quantity }: { hours?: number | null | undefined; quantity?: number | null | undefined },
    ) {
      const found = reservations.get(id)
      if (found?.state !== 'Kept') throw new Refusal(404, `There is no reservation ${id}.`)
      const next = {
        ...found,
        quantity: quantity ?? found.quantity,
        expiresAt: hours == null ? found.expiresAt : now() + hours * HOUR,
      }
      levels.reserve(found.stock.StockId, found.identity, next.quantity - found.quantity)
      reservations.set(id, next)
    },

    /** Lets goods go, by hand or because the time ran out. */
    end(id: string, state: 'Released' | 'Expired'): Reservation {
      const found = reservations.get(id)
      if (!found) throw new Refusal(404, `There is no reservation ${id}.`)
      return end(found, state)
    },

    /** Ends what is kept for this order (of one article, if it is named). */
    endOf(extId: string, state: 'Released' | 'Expired' | 'Used', gtin: string | null = null): void {
      for (const one of reservations.values())
        if (one.extId === extId && one.state === 'Kept' && (gtin === null || one.article.gtin === gtin)) end(one, state)
    },
  }
}

export type Reservations = ReturnType<typeof createReservations>

/** Nothing shows these payloads: the fields are those of the API's reservation (facts, §3), and what became of it. */
function payloadOf(reservation: Reservation, endedAt: number | null) {
  const { id, stock, article, identity, quantity, customerId, extId, createdAt, expiresAt, state } = reservation
  return {
    companyId: 7,
    id,
    stockId: stock.StockId,
    stockExtId: stock.StoreNo,
    customerId,
    extId,
    gtin: article.gtin,
    externalSKU: article.sku,
    identity,
    quantity,
    createdDateTime: storeTime(createdAt, stock),
    expirationDateTime: storeTime(expiresAt, stock),
    releasedDateTime: endedAt === null ? null : storeTime(endedAt, stock),
    status: state === 'Kept' ? 'Created' : state,
  }
}
