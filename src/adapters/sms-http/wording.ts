import { UserError } from '../../domain/values/errors.ts'
import { ORDER_MESSAGES, type OrderMessageType } from '../../ports/messages.ts'
import { readWording } from '../wording/file.ts'
import { ORDER_FIELDS, RECEIPT_FIELDS } from './fields.ts'
import type { SmsHttpOptions } from './options.ts'
import { templateFault } from './placeholder-faults.ts'
import { parseTemplate, type Template } from './template.ts'

/** The words of a destination's texts. */
export interface TextWording {
  /** The words of receipts. */
  text: Template
  /** In its place, where it is too long with the link. */
  shortText: Template
  messages: Readonly<Record<OrderMessageType, Template>>
  /** Before a customer's name. */
  hello: string
  /** In place of goods that nothing is known of. */
  someGoods: string
  someStore: string
  locale: string
}

/** The words that the options give, else those of the wording file or language. Throws a UserError that names a fault. */
export function createTextWording(options: SmsHttpOptions, destination: string): TextWording {
  const { texts, hello, someGoods, someStore, locale } = readWording(destination, options)
  const messages = ORDER_MESSAGES.map((type) => [type, checked(type, ORDER_FIELDS)])
  return {
    text: parseTemplate(options.text ?? source('receipt', RECEIPT_FIELDS)),
    shortText: parseTemplate(options.shortText ?? source('shortReceipt', RECEIPT_FIELDS, 'link')),
    messages: Object.fromEntries(messages) as TextWording['messages'],
    hello,
    someGoods,
    someStore,
    locale,
  }

  function checked(name: keyof typeof texts, fields: readonly string[]): Template {
    return parseTemplate(source(name, fields))
  }

  function source(name: keyof typeof texts, fields: readonly string[], needed?: string): string {
    const fault = templateFault(texts[name], fields, needed)
    if (fault === null) return texts[name]
    throw new UserError(`destinations.${destination}.wording: in ${options.wording}, \`texts.${name}\`: ${fault}`)
  }
}
