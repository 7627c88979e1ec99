import type { Reservation } from '../../domain/catalogue/goods.ts'
import { readReservation } from '../../payloads/goods.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Planned } from '../flow.ts'

/** The number of the order that an event says is over because nobody came; null: it does not say so. */
export function expiredOrder({ kind, payload }: Pick<Planned, 'kind' | 'payload'>): string | null {
  if (kind === RELEASED) {
    const reservation = readReservation(payload)
    return ranOut(reservation) ? reservation.orderNo : null
  }
  const order = readOrderUpdate(payload)
  return order?.status === 'Expired' ? order.number : null
}

/**
 * Goods are let go by time, or by hand after a decline or a cancellation (Events 21), and the payload is not shown: it counts
 * as expired where it says so, or where it was let go when its time was over.
 */
function ranOut({ status, expiresAt, releasedAt }: Reservation): boolean {
  if (status !== null) return status === 'Expired'
  if (expiresAt === null || releasedAt === null || hasZone(expiresAt) !== hasZone(releasedAt)) return false
  return Date.parse(inUtc(releasedAt)) >= Date.parse(inUtc(expiresAt))
}

function hasZone(time: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time)
}

/** A time as if in UTC: for two times without a zone, it does not matter which zone they are in. */
function inUtc(time: string): string {
  return hasZone(time) ? time : `${time}Z`
}

export const RELEASED = 'StockReservationExpired'
