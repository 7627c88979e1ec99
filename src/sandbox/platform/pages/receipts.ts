import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { toText } from '../amounts.ts'
import { type Receipt, totalOf } from '../sale-payload.ts'
import { storeTime } from '../sales-clock.ts'
import type { Store } from '../stores.ts'
import type { Till } from '../till.ts'
import { labelOf } from './articles.ts'
import { readable, table } from './parts.ts'

/** So many of the latest receipts are shown. */
const SHOWN = 12

/** The latest receipts of a store, the last one first. */
export function receiptsOf({ ledger, book }: Pick<Till, 'ledger' | 'book'>, store: Store): Markup {
  const here = book.sold
    .filter(({ receipt }) => receipt.store === store)
    .slice(-SHOWN)
    .toReversed()
  const recipients = new Map(
    ledger.flatMap(({ recipient, txRef }) => (recipient && txRef ? [[txRef, recipient] as const] : [])),
  )
  if (here.length === 0) return html`<h2>Latest receipts</h2><p class="quiet">Nothing was sold here yet.</p>`
  const rows = here.map(({ instant, receipt }) => [
    receipt.receiptNo,
    receipt.posId,
    `${toText(totalOf(receipt.lines))} ${receipt.store.Currency}`,
    goodsOf(receipt),
    paidBy(receipt),
    receipt.orderNo ?? '',
    recipients.get(receipt.txRef) ?? '',
    readable(storeTime(instant, store)),
  ])
  return html`<h2>Latest receipts</h2>
${table('Latest receipts', ['Receipt', 'Till', '#Total', 'Goods', 'Paid', 'Online order', 'Receipt sent to', 'When'], rows)}`
}

function goodsOf({ lines }: Receipt): string {
  // A gift card is a promise: no goods leave.
  if (lines.length === 0) return 'Gift card'
  return lines
    .map(({ article, quantity }) => (quantity === 1 ? labelOf(article) : `${quantity} × ${labelOf(article)}`))
    .join(', ')
}

function paidBy({ payments }: Receipt): string {
  return [...new Set(payments.map(({ type }) => type))].join(', ')
}
