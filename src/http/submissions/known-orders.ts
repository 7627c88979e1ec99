import type { SubmittedCancellation, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { ANY_ORDER, type ApiKey, hasScope } from '../../domain/scope.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import type { EventRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { makeOneWith } from '../api-key.ts'
import { type ProblemError, refusal } from '../problem.ts'
import type { Readable } from './reading.ts'

export interface KnownOrder {
  /** Null: the payload is pruned. */
  latest: SubmittedOrder | null
  cancelled: boolean
  origin: string
  changedAt: string | null
}

export const CHANGED_AT = 'changed-at'

export interface KnownOrders {
  find(orderNo: string): Promise<KnownOrder | null>
  /** Cancelled before a store had it; null: never. */
  calledOffAt(orderNo: string): Promise<string | null>
}

export function createKnownOrders(storage: Pick<Storage, 'events' | 'event'>): KnownOrders {
  /** Without conflicts, which were never taken. */
  async function newest(kind: string, orderNo: string): Promise<EventRow | null> {
    const [found] = await storage.events({ kind, entity: orderEntity(orderNo), conflict: false, limit: 1 })
    return found ?? null
  }

  async function timeOf(event: EventRow | null): Promise<string | null> {
    return event && ((await storage.event(event.id))?.headers[CHANGED_AT] ?? formatInstant(event.receivedAt))
  }

  return {
    async find(orderNo) {
      const submitted = await newest('OrderSubmitted', orderNo)
      if (submitted === null) return null
      const kept = await storage.event(((await newest('OrderChangeSubmitted', orderNo)) ?? submitted).id)
      const body = kept?.body ?? null
      const cancelledAt = await timeOf(await newest('OrderCancelSubmitted', orderNo))
      return {
        latest: body && (payloadOf({ body }) as SubmittedOrder),
        cancelled: cancelledAt !== null,
        origin: submitted.origin,
        changedAt: cancelledAt ?? kept?.headers[CHANGED_AT] ?? null,
      }
    },

    calledOffAt: async (orderNo) => timeOf(await newest('OrderCalledOff', orderNo)),
  }
}

export function cancelledBefore(orderNo: string): string {
  return `order ${orderNo} was cancelled before: if it is on again, submit it under another number`
}

export function notKept(orderNo: string): string {
  return (
    `order ${orderNo} was submitted, and what it said is not kept any more (retention.payloads in config), so that nobody knows ` +
    'here which store has it: find it on the platform, and settle it with its store'
  )
}

export function movedFault(change: SubmittedOrder, { storeId, stockId }: SubmittedOrder): string | null {
  if (change.storeId === storeId && change.stockId === stockId) return null
  return (
    `the store: found the one with storeId ${change.storeId}, expected ${storeId}, which has the order: ` +
    'cancel it, and submit it to the other store under another number'
  )
}

/** Keys that may not change it learn nothing. Throws a ProblemError. */
export async function orderOf(known: KnownOrders, orderNo: string, key: ApiKey): Promise<KnownOrder> {
  const found = await known.find(orderNo)
  if (found === null)
    throw refusal('no-such-order', 'No order of this number was submitted: POST it to /v1/orders first.')
  if (found.origin !== key.system && !hasScope(key, ANY_ORDER))
    throw refusal(
      'order-of-another',
      `Order ${orderNo} was submitted by another system than ${key.system}, and is changed and cancelled by that one, or ` +
        `with the scope ${ANY_ORDER}. ${makeOneWith(key, ANY_ORDER)}`,
    )
  return found
}

export function latestOf(orderNo: string, { latest }: KnownOrder): SubmittedOrder {
  if (latest !== null) return latest
  throw refusal('order-not-kept', `Nothing is changed: ${notKept(orderNo)}.`)
}

export function orderCancelled(orderNo: string): ProblemError {
  return refusal(
    'order-cancelled',
    `Order ${orderNo} was cancelled, and cannot be changed any more. Submit it anew under another number.`,
  )
}

export function cancellationOf(orderNo: string, { storeId, stockId }: SubmittedOrder): Readable {
  return { kind: 'OrderCancelSubmitted', payload: { orderNo, storeId, stockId } satisfies SubmittedCancellation }
}
