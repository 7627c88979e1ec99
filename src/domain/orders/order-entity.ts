import { keyPart } from '../queue/event.ts'

/** The entity of an order's events and deliveries. */
export function orderEntity(orderNo: string): string {
  return `order:${keyPart(orderNo)}`
}

/** The number of the order that an entity is; null: it is something else. */
export function orderNumberOf(entity: string | null): string | null {
  if (!entity?.startsWith('order:')) return null
  return decodeURIComponent(entity.slice('order:'.length).split('/')[0] ?? '')
}

/** The entity of the making of an order: a line of its own, so that what came before it and waits for it does not stand in its way. */
export function makingEntity(orderNo: string): string {
  return `${orderEntity(orderNo)}/made`
}
