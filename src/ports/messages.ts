import type { Sale } from '../domain/books/sale.ts'
import type { PlacedOrder } from '../domain/orders/which-order.ts'
import type { Decimal } from '../domain/values/money.ts'
import type { Attempt, Effect } from './attempt.ts'

export interface ReceiptMessage {
  type: 'receipt'
  sale: Sale
  to: string
  name: string | null
  /** Spec, "signatureInfo". */
  signature: { signature: string; keyVersion: string | null } | null
}

/** Sent where config asks for it (`messages` of a destination). */
export const ORDER_MESSAGES = ['ready', 'collected', 'declined', 'expired'] as const
export type OrderMessageType = (typeof ORDER_MESSAGES)[number]

export interface OrderMessage {
  type: OrderMessageType
  order: PlacedOrder
  goods: { name: string | null; gtin: string | null; quantity: Decimal } | null
  to: string
  name: string | null
}

export type CustomerMessage = ReceiptMessage | OrderMessage

export interface EmailPort {
  send(message: CustomerMessage, attempt: Attempt): Promise<Effect>
  find?(attempt: Attempt, call: MessageCall): Promise<Effect | null>
}

export type TextsPort = EmailPort
export type MessageCall = { port: 'email' | 'texts'; method: 'send'; argument: CustomerMessage }

/** An alarm that began or is over. No personal data, no secret. */
export interface OwnNotice {
  key: string
  kind: 'AlarmBegan' | 'AlarmOver' | 'AlarmTest'
  urgent: boolean
  subject: string
  text: string
  facts: object
  to: readonly string[]
}
