import * as facts from '../../domain/orders/order-facts.ts'
import { hasParcels, type OrderUpdate } from '../../domain/orders/order-update.ts'
import { readOrderUpdate } from '../../payloads/order-update.ts'
import type { Planned } from '../flow.ts'
import { FULFILLED } from './update.ts'

export function isCollected(kind: string, { status }: OrderUpdate): boolean {
  return kind === FULFILLED || status === 'Shipped'
}

/** Facts that an update proves by its status; an unknown status proves nothing, so that it is seen as not acted on. */
export function provenByUpdate({ kind, payload }: Planned): string[] {
  const order = readOrderUpdate(payload)
  if (!order) return []
  const { number, status } = order
  const known = [facts.placed(number)]
  if (isCollected(kind, order)) return hasParcels(order) ? known : [...known, facts.collected(number)]
  switch (status) {
    case 'UnHandled':
    case 'Picked':
    case 'Returned':
      return known
    case 'Rejected':
      return [...known, facts.rejected(number)]
    case 'Expired':
      return [...known, facts.expired(number)]
    default:
      return []
  }
}
