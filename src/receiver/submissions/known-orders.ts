import type { SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'

export interface KnownOrder {
  /** As it was submitted last: at first, or by a change. Null: what it said is not kept any more. */
  latest: SubmittedOrder | null
  cancelled: boolean
  origin: string
  /** When its own system changed it last, a cancellation included, as far as that was said. */
  changedAt: string | null
}

/** Where an event keeps that, beside what it says. */
export const CHANGED_AT = 'changed-at'

/** The word of the hub's own events on an order, whoever submitted it. */
export interface KnownOrders {
  /** Null: none that is kept says that it was submitted. */
  find(orderNo: string): Promise<KnownOrder | null>
  /** When it was last called off before any store had it, or the hub was told so, where no more is kept; null: never. */
  calledOffAt(orderNo: string): Promise<string | null>
}

export function createKnownOrders(store: Pick<Store, 'events' | 'event'>): KnownOrders {
  /** The newest event of a kind about an order; a conflicting one was never taken. */
  async function newest(kind: string, orderNo: string): Promise<EventRow | null> {
    const [found] = await store.events({ kind, entity: orderEntity(orderNo), conflict: false, limit: 1 })
    return found ?? null
  }

  /** When its system says that it was so, else when the hub was told; null: never. */
  async function timeOf(event: EventRow | null): Promise<string | null> {
    return event && ((await store.event(event.id))?.headers[CHANGED_AT] ?? formatInstant(event.receivedAt))
  }

  return {
    async find(orderNo) {
      const submitted = await newest('OrderSubmitted', orderNo)
      if (submitted === null) return null
      const latest = (await newest('OrderChangeSubmitted', orderNo)) ?? submitted
      const kept = await store.event(latest.id)
      const body = kept?.body ?? null
      const cancelledAt = await timeOf(await newest('OrderCancelSubmitted', orderNo))
      const { origin } = submitted
      return {
        latest: body && (payloadOf({ body }) as SubmittedOrder),
        cancelled: cancelledAt !== null,
        origin,
        changedAt: cancelledAt ?? kept?.headers[CHANGED_AT] ?? null,
      }
    },

    calledOffAt: async (orderNo) => timeOf(await newest('OrderCalledOff', orderNo)),
  }
}

/** Whether a system may change and cancel an order: who submitted it first may, and who may for every order (`any`). */
export function mayChange({ origin }: KnownOrder, system: string, { any = false } = {}): boolean {
  return origin === system || any
}

export function cancelledBefore(orderNo: string): string {
  return `order ${orderNo} was cancelled before: if it is on again, submit it under another number`
}

/** The fault of an order whose store is no longer known. */
export function notKept(orderNo: string): string {
  return (
    `order ${orderNo} was submitted, and what it said is not kept any more (retention.payloads in config), so that nobody knows ` +
    'here which store has it: find it on the platform, and settle it with its store'
  )
}

/** The fault of a change that names another store than the one that has the order; null: none. */
export function movedFault(change: SubmittedOrder, { storeId, stockId }: SubmittedOrder): string | null {
  if (change.storeId === storeId && change.stockId === stockId) return null
  return (
    `the store: found the one with storeId ${change.storeId}, expected ${storeId}, which has the order: ` +
    'cancel it, and submit it to the other store under another number'
  )
}
