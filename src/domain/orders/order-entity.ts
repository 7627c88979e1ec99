import { keyPart } from '../queue/event.ts'

export function orderEntity(orderNo: string): string {
  return `order:${keyPart(orderNo)}`
}

/** Null: not an order. */
export function orderNumberOf(entity: string | null): string | null {
  if (!entity?.startsWith('order:')) return null
  return decodeURIComponent(entity.slice('order:'.length).split('/')[0] ?? '')
}

/** An ordering key of its own, so that waiting steps do not block the creation. */
export function makingEntity(orderNo: string): string {
  return `${orderEntity(orderNo)}/made`
}
