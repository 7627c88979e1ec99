import type { Sale } from '../domain/books/sale.ts'
import type { PlacedOrder } from '../domain/orders/placed-order.ts'
import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Effect } from './attempt.ts'

/** A message to a customer: a digital receipt. */
export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  /** An e-mail address, or a phone number with its country prefix. */
  to: string
  /** The customer's name, as the till has it. */
  name: string | null
  /** XML of print lines, as it came (spec, "receiptFormatted"); null where it is empty. */
  formatted: string | null
  /** Of the receipt, as it came (spec, "signatureInfo"); null where there is none. */
  signature: { signature: string; keyVersion: string | null } | null
}

/** What customers can be told about their order, where a destination is to (`messages` in config). */
export const ORDER_MESSAGES = ['ready', 'collected', 'declined', 'expired'] as const

export type OrderMessageType = (typeof ORDER_MESSAGES)[number]

/** A message to a customer about an online order. */
export interface OrderMessage {
  type: OrderMessageType
  order: PlacedOrder
  /** Of a declined message: what the store does not have. */
  goods: { name: string | null; gtin: string | null; quantity: Decimal } | null
  /** An e-mail address, or a phone number in E.164. */
  to: string
  name: string | null
}

export type CustomerMessage = ReceiptMessage | OrderMessage

export interface EmailPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: MessageCall): Promise<Effect | null>
}

export interface TextsPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: MessageCall): Promise<Effect | null>
}

export type MessageCall = { port: 'email' | 'texts'; method: 'send'; argument: CustomerMessage }
