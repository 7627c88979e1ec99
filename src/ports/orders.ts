import type { FoundOrder, TillOrder } from '../domain/orders/order.ts'
import type { OrderLineUpdate, OrderReturn, OrderUpdate, Shipment } from '../domain/orders/order-update.ts'
import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Effect, Question } from './attempt.ts'
import type { TallyOrders } from './tally.ts'

/** Orders of an online shop or OMS: each method is one effect. */
export interface OrdersPort extends Partial<TallyOrders> {
  /** Creates a paid order. The effect links `order` by `idOfTillOrder` to the system's own id. */
  create?(order: TillOrder, attempt: Attempt): Promise<Effect>
  /** Keeps a basket for the customer to pay online: a draft order, or a link to a cart. Links `draft` by its number. */
  draft?(basket: TillOrder, attempt: Attempt): Promise<Effect>
  ready?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  collected?(order: OrderUpdate, attempt: Attempt): Promise<Effect>
  /** The store declined goods: the customer is informed, and what was reserved for them is given back. */
  decline?(declined: DeclinedGoods, attempt: Attempt): Promise<Effect>
  expire?(order: OrderNumber, attempt: Attempt): Promise<Effect>
  ship?(parcel: SentParcel, attempt: Attempt): Promise<Effect>
  /** Goods came back in a store, and the shop must give the money back. Links `refund`. */
  refund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Goods came back in a store, which gave the money back: to be noted, not to be paid again. */
  noteRefund?(returned: ReturnedGoods, attempt: Attempt): Promise<Effect>
  /** Orders with this number, for a till that waits (spec, "Order lookup in an external OMS"). None: not found. */
  search?(number: string, question: Question): Promise<FoundOrder[]>
  /**
   * Whether the effect of an earlier, uncertain attempt of this key and call is there (made whole if it was left half done);
   * null: it is not. Throws a PermanentError `cannot-find` for a call whose effect cannot be looked for.
   */
  find?(attempt: Attempt, call: OrdersCall): Promise<Effect | null>
}

/** An order as others know it: by its number, and where several have that number, by its goods. */
export interface OrderNumber {
  number: string
  lines: OrderLineUpdate[]
}

/** Pieces of a line that the store does not have, besides those that this system was told of before. */
export interface DeclinedGoods {
  order: OrderUpdate
  line: OrderLineUpdate
  quantity: Decimal
}

export interface SentParcel {
  order: OrderUpdate
  parcel: Shipment
}

/** Pieces of a line that came back, besides those that this system was told of before. */
export interface ReturnedGoods {
  refund: OrderReturn
  line: OrderLineUpdate
  quantity: Decimal
}

export type OrdersCall =
  | { port: 'orders'; method: 'create' | 'draft'; argument: TillOrder }
  | { port: 'orders'; method: 'ready' | 'collected'; argument: OrderUpdate }
  | { port: 'orders'; method: 'decline'; argument: DeclinedGoods }
  | { port: 'orders'; method: 'expire'; argument: OrderNumber }
  | { port: 'orders'; method: 'ship'; argument: SentParcel }
  | { port: 'orders'; method: 'refund' | 'noteRefund'; argument: ReturnedGoods }
