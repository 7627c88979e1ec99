import type { FoundOrder, TillOrder } from '../domain/orders/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate, Shipment } from '../domain/orders/order-update.ts'
import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, CallOf, Effect, Question } from './attempt.ts'
import type { TallyOrders } from './tally.ts'

/** Orders of an online shop or OMS: each method is one effect. */
export interface OrdersPort extends Partial<TallyOrders> {
  /** Creates a paid order. Links `order` by `idOfTillOrder`. */
  create?(order: TillOrder, attempt: Attempt): Promise<Effect>
  /** Keeps a basket to pay online: a draft order or a cart. Links `draft` by its number. */
  draft?(basket: TillOrder, attempt: Attempt): Promise<Effect>
  ready?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  collected?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  /** Declined goods: the customer is informed and refunded. */
  decline?(declined: DeclinedGoods, attempt: Attempt): Promise<Effect>
  expire?(order: OrderNumber, attempt: Attempt): Promise<Effect>
  ship?(parcel: SentParcel, attempt: Attempt): Promise<Effect>
  /** Returned in a store; the shop must refund. Links `refund`. */
  refund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Returned in a store, which refunded: noted only. */
  noteRefund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** For a waiting POS (spec, "Order lookup in an external OMS"). */
  search?(number: string, question: Question): Promise<FoundOrder[]>
  /**
   * How many refunds bear the key of a call that was made more than once: the first may have taken effect late. 0: it leaves none. Throws
   * PermanentError or HeldError where its order cannot be told.
   */
  countRefunds?(call: RefundCall, attempt: Attempt): Promise<number>
  /** The effect of an attempt in doubt (completed if half done); null: not there. Throws PermanentError `cannot-find`. */
  find?(attempt: Attempt, call: OrdersCall): Promise<Effect | null>
}

/** Of several orders with one number, the goods tell. */
export interface OrderNumber {
  number: string
  lines: OrderLineUpdate[]
}

/** `quantity`: besides what this system was told before. */
export interface DeclinedGoods {
  order: OrderUpdate
  line: OrderLineUpdate
  quantity: Decimal
}

export interface SentParcel {
  order: OrderUpdate
  parcel: Shipment
}

/** `quantity`: besides what this system was told before. */
export interface ReturnedGoods {
  refund: OrderReturn
  line: OrderLineUpdate
  quantity: Decimal
}

export type OrdersCall = CallOf<
  'orders',
  OrdersPort,
  'create' | 'draft' | 'ready' | 'collected' | 'decline' | 'expire' | 'ship' | 'refund' | 'noteRefund'
>

/** Calls that give money back. */
export type RefundCall = Extract<OrdersCall, { method: 'decline' | 'expire' | 'refund' | 'noteRefund' }>

export function isRefundCall(call: OrdersCall): call is RefundCall {
  return REFUND_METHODS.has(call.method)
}

export const REFUND_METHODS: ReadonlySet<string> = new Set<RefundCall['method']>([
  'decline',
  'expire',
  'refund',
  'noteRefund',
])

export function refundedOrder({ method, argument }: RefundCall): OrderNumber {
  if (method === 'decline') return argument.order
  return method === 'expire' ? argument : argument.refund
}
