import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { toText } from '../sales/amounts.ts'
import type { Pos } from '../sales/pos.ts'
import { type Line, type Receipt, totalOf } from '../sales/sale-payload.ts'
import type { Store } from '../stores.ts'
import { labelOf } from './articles.ts'
import { readable, table } from './parts.ts'

/** The latest receipts that are shown. */
const SHOWN = 12

/** The latest receipts of a store, the last one first. */
export function receiptsOf({ posLog, book }: Pick<Pos, 'posLog' | 'book'>, store: Store): Markup {
  const here = book.sold
    .filter(({ receipt }) => receipt.store === store)
    .slice(-SHOWN)
    .toReversed()
  const recipients = new Map(
    posLog.flatMap(({ recipient, txRef }) => (recipient && txRef ? [[txRef, recipient] as const] : [])),
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
    readable(instant),
  ])
  return html`<h2>Latest receipts</h2>
${table('Latest receipts', ['Receipt', 'pos', '#Total', 'Goods', 'Paid', 'Online order', 'Receipt sent to', 'When'], rows)}`
}

function goodsOf({ lines }: Receipt): string {
  // A gift card is a promise: no goods leave.
  if (lines.length === 0) return 'Gift card'
  return lines
    .map((line) => `${line.quantity === 1 ? '' : `${line.quantity} × `}${labelOf(line.article)}${reducedBy(line)}`)
    .join(', ')
}

function reducedBy({ article, cents }: Line): string {
  return cents === article.cents ? '' : ` (${Math.round((1 - cents / article.cents) * 100)} % off)`
}

function paidBy({ payments }: Receipt): string {
  return [...new Set(payments.map(({ type }) => type))].join(', ')
}
