import type { OrderMessageType } from '../../ports/messages.ts'

/**
 * The words of receipts and messages in one language, for mails and text messages: what a wording file of an operator's
 * own holds. `{{…}}` are placeholders; which there are is for the adapter to say.
 */
export interface Wording {
  /** The language of the `html` element, and of numbers where the store's country is not known. */
  locale: string
  subject: string
  receipt: string
  returned: string
  hello: string
  thanks: string
  number: string
  order: string
  time: string
  till: string
  servedBy: string
  organization: string
  articles: string
  amount: string
  before: string
  total: string
  savings: string
  paidWith: string
  vat: string
  vatRate: string
  net: string
  vatOfTotal: string
  openReceipt: string
  moreLines: string
  moreAttached: string
  attachment: string
  signature: string
  keyVersion: string
  /** In place of declined goods that nothing is known of. */
  someGoods: string
  /** In place of a store that is not known, in text messages. */
  someStore: string
  /** By the platform's own name of the payment, in lower case; any other is shown as it is. */
  payments: Record<string, string>
  messages: Record<OrderMessageType, MessageWording>
  texts: Record<OrderMessageType | 'receipt' | 'shortReceipt', string>
}

/** The mail about one thing that happens to an order. */
interface MessageWording {
  subject: string
  title: string
  text: string
}
