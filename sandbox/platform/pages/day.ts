import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedImport } from '../actions/asked-people.ts'
import { toText } from '../sales/amounts.ts'
import { instantIn } from '../sales/clock.ts'
import type { Pos } from '../sales/pos.ts'
import { totalOf } from '../sales/sale-payload.ts'
import type { Settlement, Settlements } from '../sales/settlements.ts'
import type { Store } from '../stores.ts'
import { type Articles, articleFields, proposals } from './articles.ts'
import type { Door } from './door.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { button, readable, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The latest settlements that are shown. */
const SHOWN = 10

interface Means {
  actions: Pick<Actions, 'closeDay' | 'printReconciliation' | 'importSale'>
  settlements: Pick<Settlements, 'of'>
  pos: Pick<Pos, 'book'>
  articles: Articles
}

/** The end of the day in a store: what its POS took in, and their settlements. */
export function createDayPage({ actions, settlements, pos, articles }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/day', (request, response) => {
    const store = storeHere(request)
    const made = settlements.of(null, store.StoreId).map(({ settlement }) => settlement)
    const body = html`${openPos(pos, made, store)}${settlementsOf(made, store)}${moreOf(articles, store)}`
    return frame(request, response, `Day in ${store.StoreName}`, body)
  })

  door.on('/day/close', '/day', ({ StoreNo }) => {
    const before = settlements.of(null).length
    actions.closeDay({ store: StoreNo })
    const made = settlements
      .of(null)
      .slice(before)
      .map(({ settlement }) => settlement)
    if (made.length === 0) return 'Nothing to settle: no POS sold anything since it was settled last.'
    return made
      .map(
        ({ SETTLEMENTID, PosName, GrandTotal, Currency }) =>
          `Settlement ${SETTLEMENTID} of ${PosName}: ${GrandTotal.toFixed(2)} ${Currency}.`,
      )
      .join(' ')
  })
  door.on('/day/reconciliation', '/day', ({ StoreNo }) =>
    tell('The bank terminals printed', { what: actions.printReconciliation({ store: StoreNo }).printed }),
  )
  door.on('/day/import', '/day', ({ StoreNo }, form) =>
    tell('Taken over', actions.importSale(ask(AskedImport, { store: StoreNo, ...form.all() }))),
  )
  return router
}

/** The sales of each POS since it was settled last. */
function openPos({ book }: Pick<Pos, 'book'>, settlements: readonly Settlement[], store: Store): Markup {
  const open = book.sold
    .filter(({ receipt }) => receipt.store === store && receipt.posId > 0)
    .filter(({ receipt }) => Number(receipt.receiptNo) > lastSettled(receipt.posId, settlements))
  const rows = [...Map.groupBy(open, ({ receipt }) => receipt.posId)].map(([posId, sales]) => [
    posId,
    sales.length,
    `${toText(sales.reduce((sum, { receipt }) => sum + totalOf(receipt.lines), 0))} ${store.Currency}`,
    `${sales[0]?.receipt.receiptNo} to ${sales.at(-1)?.receipt.receiptNo}`,
  ])
  return html`<h2>Since the last settlement</h2>
${rows.length === 0 ? html`<p class="quiet">No POS sold anything.</p>` : table('Open POS', ['pos', '#Receipts', '#Total', 'Receipt numbers'], rows)}
<div class="actions">
${button(to('/day/close', store), 'Close the day', { strong: true })}
${button(to('/day/reconciliation', store), 'Print the bank terminals’ reconciliation')}
</div>`
}

function lastSettled(posId: number, settlements: readonly Settlement[]): number {
  return settlements.findLast(({ POSID }) => POSID === posId)?.ReceiptNoTo ?? 0
}

function settlementsOf(settlements: readonly Settlement[], store: Store): Markup {
  if (settlements.length === 0) return html`<h2>Settlements</h2><p class="quiet">The day was not closed yet.</p>`
  return html`<h2>Settlements</h2>
${table(
  'Settlements',
  ['Settlement', 'pos', 'When', 'Receipts', '#Total', '#VAT', '#Difference', 'Paid'],
  settlements
    .slice(-SHOWN)
    .toReversed()
    .map((one) => [
      one.SETTLEMENTID,
      one.POSID,
      readable(instantIn(one.SettlementTimeStamp, store)),
      `${one.ReceiptNoFrom} to ${one.ReceiptNoTo}`,
      `${one.GrandTotal.toFixed(2)} ${one.Currency}`,
      one.VATTotal.toFixed(2),
      one.Discrepancy.toFixed(2),
      one.PaymentTypes.map(({ Type, SubType, Amount }) => `${SubType || Type} ${Amount.toFixed(2)}`).join(', '),
    ]),
)}
${settlements.length > SHOWN ? html`<p class="quiet">The latest ${SHOWN} of ${settlements.length}.</p>` : ''}`
}

function moreOf(articles: Articles, store: Store): Markup {
  return html`<h2>Take over a sale of the online store</h2>
<p class="quiet">As the retailer’s own system does with <code>PUT /api/Sale</code>.</p>
<form method="post" action="${to('/day/import', store)}" class="line">
${articleFields()}
${textField('Online order number', 'orderNo', { autocomplete: 'off' })}
<button>Take it over</button>
</form>
${proposals(articles)}`
}
