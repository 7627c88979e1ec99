import type { OrdersCall } from '../adapter.ts'

export const ORDER_EFFECTS = [
  'create',
  'draft',
  'ready',
  'collected',
  'decline',
  'expire',
  'ship',
  'refund',
  'noteRefund',
] as const satisfies OrdersCall['method'][]

/** A call as mappings see it, besides `key` and `theirId`. */
export interface Subject {
  input: object
  /** What `theirId` is of, where the system may know it by an id of its own. */
  known: { kind: string; id: string } | null
  /** What `link` of the config links. */
  made: { kind: string; id: string } | null
}

/** What an order's call is about. */
export function orderSubject(call: OrdersCall): Subject {
  switch (call.method) {
    case 'create':
      return { input: { order: call.argument }, known: null, made: { kind: 'order', id: call.argument.number } }
    case 'draft':
      return { input: { order: call.argument }, known: null, made: { kind: 'draft', id: call.argument.number } }
    case 'ready':
    case 'collected':
    case 'expire':
      return { input: { order: call.argument }, known: order(call.argument.number), made: null }
    case 'decline':
      return { input: call.argument, known: order(call.argument.order.number), made: null }
    case 'ship':
      return {
        input: call.argument,
        known: order(call.argument.order.number),
        made: { kind: 'shipment', id: call.argument.parcel.id },
      }
    case 'refund':
    case 'noteRefund': {
      const { refund, line } = call.argument
      return {
        input: call.argument,
        known: order(refund.number),
        made: { kind: 'refund', id: `${refund.refundId}/${line.key}` },
      }
    }
  }
}

function order(id: string): Subject['known'] {
  return { kind: 'order', id }
}

/** What is not known is missing: JSONata passes over what is missing, and stumbles over null. */
export function withoutNulls(input: object): object {
  return JSON.parse(JSON.stringify(input, (_, value: unknown) => value ?? undefined)) as object
}
