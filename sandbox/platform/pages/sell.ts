import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions, Done } from '../actions/all.ts'
import { AskedCheckout, AskedOrder, AskedReceipt, AskedReturn, AskedSale } from '../actions/asked.ts'
import type { Pos } from '../sales/pos.ts'
import type { Store } from '../stores.ts'
import type { Articles } from './articles.ts'
import { basketTable, linesOf, parked } from './basket.ts'
import type { Door } from './door.ts'
import { type Form, readForm } from './form.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { choice, textField } from './parts.ts'
import { receiptsOf } from './receipts.ts'
import { ask, tell } from './tell.ts'

interface Means {
  actions: Actions
  articles: Articles
  pos: Pick<Pos, 'posLog' | 'book'>
}

const PAYMENTS = [
  ['card', 'Card'],
  ['cash', 'Cash'],
  ['split', 'Half in cash, half by card'],
  ['giftcard', 'Gift card'],
  ['invoice', 'Invoice'],
] as const

/** The POS: one form for what is on the counter, and a button for each thing that can be done with it. */
export function createSellPage({ actions, articles, pos }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/', (request, response) => {
    const store = storeHere(request)
    const body = html`${sellForm(readForm(request.query), articles, store)}${receiptsOf(pos, store)}`
    return frame(request, response, `POS in ${store.StoreName}`, body)
  })

  const does = (path: string, what: string, act: (asked: Readonly<Record<string, unknown>>, form: Form) => Done) =>
    door.on(
      `/pos/${path}`,
      '/',
      ({ StoreNo }, form) => {
        const lines = linesOf(form)
        return tell(what, act({ store: StoreNo, ...(lines.length > 0 && { lines }) }, form))
      },
      { again: parked },
    )
  does('sell', 'Sold', (asked, form) => {
    const payment = form.text('payment') || 'card'
    const giftCard = payment === 'giftcard' ? form.text('giftCard') : ''
    return actions.sell(ask(AskedSale, { ...asked, payment, giftCard }))
  })
  does('receipt-email', 'Sold, the receipt goes by e-mail', (asked) =>
    actions.sendReceipt(ask(AskedReceipt, { ...asked, channel: 'Email' })),
  )
  does('receipt-sms', 'Sold, the receipt goes by SMS', (asked) =>
    actions.sendReceipt(ask(AskedReceipt, { ...asked, channel: 'SMS' })),
  )
  does('return', 'Taken back', (asked, form) => {
    const payment = form.text('payment') === 'cash' ? 'cash' : 'card'
    return actions.returnGoods(ask(AskedReturn, { ...asked, payment }))
  })
  does('endless-aisle', 'Ordered from the online shop', (asked) => actions.endlessAisle(ask(AskedOrder, asked)))
  does('checkout', 'Saved for online checkout', (asked) => actions.saveForOnlineCheckout(ask(AskedCheckout, asked)))
  return router
}

function sellForm(form: Form, articles: Articles, store: Store): Markup {
  const path = (does: string) => to(`/pos/${does}`, store)
  return html`<form method="post" action="${path('sell')}" class="pos">
<input type="hidden" name="store" value="${store.StoreNo}">
<div class="line" role="search">
${textField('Name, SKU or GTIN', 'q', { type: 'search', value: form.text('q'), autocomplete: 'off' })}
<button formmethod="get" formaction="/">Search</button>
</div>
${basketTable(form, articles, store)}
<div class="line">
${choice('Paid', 'payment', PAYMENTS, form.text('payment'))}
${textField('Gift card number', 'giftCard', { value: form.text('giftCard'), autocomplete: 'off', placeholder: 'any with a balance' })}
</div>
<div class="actions">
<button class="strong">Sell</button>
<button formaction="${path('receipt-email')}">Sell, receipt by e-mail</button>
<button formaction="${path('receipt-sms')}">Sell, receipt by SMS</button>
<button formaction="${path('return')}">Take back</button>
<button formaction="${path('endless-aisle')}">Order from the online shop</button>
<button formaction="${path('checkout')}">Save for online checkout</button>
</div>
<p class="quiet">Without any pieces, the POS chooses what is on the counter.</p>
</form>`
}
