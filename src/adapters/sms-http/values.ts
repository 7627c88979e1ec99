import type { Sale } from '../../domain/books/sale.ts'
import { amountText, roundMoney } from '../../domain/values/money.ts'
import type { OrderMessage } from '../../ports/messages.ts'
import { greetedName } from '../wording/languages.ts'
import type { TextValues } from './fields.ts'
import type { TextWording } from './wording.ts'

const NOTHING: TextValues = {
  store: '',
  link: '',
  receipt: '',
  total: '',
  name: '',
  order: '',
  goods: '',
  greeting: '',
}

/** Values that a text can show of a sale. `link` is empty where the sale has none that may be sent. */
export function textValuesOf(sale: Sale, name: string | null): TextValues {
  const total = roundMoney(sale.total)
  return {
    ...NOTHING,
    store: sale.store.name ?? '',
    link: readLink(sale.receiptUrl) ?? '',
    receipt: sale.receiptNo,
    total: `${amountText(total)} ${total.currency}`,
    name: name ?? '',
    order: sale.orderNo ?? '',
  }
}

/** Values that a text can show of an order. */
export function orderValuesOf({ type, order, goods, name }: OrderMessage, words: TextWording): TextValues {
  const [first = ''] = greetedName(name).split(' ')
  return {
    ...NOTHING,
    store: order.storeName ?? words.someStore,
    order: order.number,
    goods: type === 'declined' ? goodsText(goods, words) : '',
    name: greetedName(name),
    greeting: first && `${words.hello} ${first}!`,
  }
}

function goodsText(goods: OrderMessage['goods'], { someGoods, locale }: TextWording): string {
  const name = goods?.name ?? goods?.gtin ?? null
  if (!goods || name === null) return someGoods
  const quantity = goods.quantity as Intl.StringNumericLiteral
  // × is not in the alphabet of short messages.
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(quantity)} x ${name}`
}

/** Only http and https: a customer taps on it. As it was written where it is plain ASCII, else as browsers write it. */
function readLink(written: string | null): string | null {
  const url = URL.parse(written ?? '')
  if (written === null || !url || !/^https?:$/.test(url.protocol)) return null
  return /^[\x21-\x7e]+$/.test(written) ? written : url.href
}
