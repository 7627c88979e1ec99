import type { OrderMessage } from '../../ports/messages.ts'
import type { Wording } from '../wording/form.ts'
import { greetedName } from '../wording/languages.ts'
import { createFormats } from './receipt/formats.ts'
import { fillTemplate, type Template } from './template.ts'

/** Fields that the subject and the text of a message about an order may name. */
export const WORD_FIELDS = {
  storeName: 'text',
  orderNo: 'text',
  customerName: 'text',
  /** The goods of a declined message, which the store does not have: `2 × T-shirt`. */
  goods: 'text',
} as const

/** Fields that a template of an operator's own may name besides: those two, filled in. */
export const MESSAGE_FIELDS = { ...WORD_FIELDS, subject: 'text', title: 'text', text: 'text' } as const

export type MessageView = Record<keyof typeof MESSAGE_FIELDS, string>

/** The words of one type of message, checked. */
export interface MessageWords {
  subject: Template
  title: string
  text: Template
}

/** The content of a message, in words. `shopName`: who sends, where the store is not known. */
export function createMessageView(
  { type, order, goods, name }: OrderMessage,
  { wording, words, shopName }: { wording: Wording; words: MessageWords; shopName: string },
): MessageView {
  const values = {
    storeName: order.storeName ?? shopName,
    orderNo: order.number,
    customerName: greetedName(name),
    goods: type === 'declined' ? goodsText(goods, wording) : '',
  }
  const fill = (template: Template) => fillTemplate(template, values, (value) => value)
  return { ...values, subject: fill(words.subject), title: words.title, text: fill(words.text) }
}

function goodsText(goods: OrderMessage['goods'], { locale, someGoods }: Wording): string {
  const name = goods?.name ?? goods?.gtin ?? null
  if (!goods || name === null) return someGoods
  return `${createFormats(null, locale).quantity(goods.quantity)} × ${name}`
}
