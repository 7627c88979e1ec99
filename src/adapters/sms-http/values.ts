import { amountText, roundMoney } from '../../domain/money.ts'
import type { Sale } from '../../domain/sale.ts'
import type { TextValues } from './compose.ts'

/** What the words of a message may name. */
export const TEXT_FIELDS = ['store', 'link', 'receipt', 'total', 'name'] as const

/** What the URL's query and the body may name besides secrets. */
export const MESSAGE_FIELDS = ['to', 'toDigits', 'text', 'key', ...TEXT_FIELDS] as const

/** What a text can say about a sale. `link` is empty where the sale has none that may be sent. */
export function textValuesOf(sale: Sale, name: string | null): TextValues {
  const total = roundMoney(sale.total)
  return {
    store: sale.store.name ?? '',
    link: readLink(sale.receiptUrl) ?? '',
    receipt: sale.receiptNo,
    total: `${amountText(total)} ${total.currency}`,
    name: name ?? '',
  }
}

/** Only http and https: a customer taps on it. As it was written where it is plain ASCII, else as browsers write it. */
function readLink(written: string | null): string | null {
  const url = URL.parse(written ?? '')
  if (written === null || !url || !/^https?:$/.test(url.protocol)) return null
  return /^[\x21-\x7e]+$/.test(written) ? written : url.href
}
