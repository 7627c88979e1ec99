import express, { Router } from 'express'
import { html } from 'hono/html'
import { z } from 'zod'
import type { Markup } from '../../page.ts'
import type { Catalogue } from '../products/catalogue.ts'
import type { PlacedOrder } from '../webhooks/people.ts'
import type { Order } from './order.ts'

/** How an order reaches the customer, in the words of the form. */
const WAYS = {
  mail: { words: 'By mail, from the shop', placed: {} },
  oslo: {
    words: 'Fetched in Oslo City',
    placed: { shipping: { method: 'pickup_location', location: 'Oslo City' } },
  },
  bergen: {
    words: 'Fetched in Bergen Torg',
    placed: { shipping: { method: 'pickup_location', location: 'Bergen Torg' } },
  },
  store: { words: 'By mail, from the store in Bergen', placed: { meta: { store: '102' } } },
} satisfies Record<string, { words: string; placed: Partial<PlacedOrder> }>

const PAYMENTS = { sandbox_card: 'By card, now', cod: 'In the store' } as const

const Asked = z.object({
  sku: z.string().min(1),
  quantity: z.coerce.number().int().min(1).max(99).default(1),
  way: z.enum(Object.keys(WAYS) as [keyof typeof WAYS, ...(keyof typeof WAYS)[]]).default('oslo'),
  payment: z.enum(['sandbox_card', 'cod']).default('sandbox_card'),
  email: z.email().default('kari@example.com'),
  phone: z.string().default('+47 912 34 567'),
})

interface Means {
  catalogue: Pick<Catalogue, 'all'>
  place(placed: PlacedOrder): Promise<Order>
  complete(id: number): Promise<void>
}

/** The deeds of a customer on the shop's pages, and of the staff with an order that the shop sends itself. */
export function createCheckout({ catalogue, place, complete }: Means): Router {
  const router = Router()
  router.use(['/checkout', '/orders-page'], express.urlencoded({ extended: false }), express.json())
  router.post('/checkout', async (request, response) => {
    const asked = Asked.safeParse(request.body ?? {})
    const known = asked.success && catalogue.all().some(({ sku }) => sku === asked.data.sku)
    if (!asked.success || !known) {
      const why = asked.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      return void response
        .status(400)
        .type('text')
        .send(`Not ordered: ${why ?? 'the shop has no such article'}.`)
    }
    const { sku, quantity, way, ...about } = asked.data
    const order = await place({ ...about, ...WAYS[way].placed, lines: [{ sku, quantity }] })
    response.redirect(303, `/orders-page/${order.id}`)
  })
  router.post('/orders-page/:id/complete', async (request, response) => {
    await complete(Number(request.params.id))
    response.redirect(303, `/orders-page/${Number(request.params.id)}`)
  })
  return router
}

/** The form of the checkout. */
export function checkoutForm(skus: readonly string[]): Markup {
  const options = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).map(([value, words]) => html`<option value="${value}">${words}</option>`)
  const ways = Object.fromEntries(Object.entries(WAYS).map(([value, { words }]) => [value, words]))
  return html`<h2>Order something</h2>
<form method="post" action="/checkout" class="line">
<label class="field"><span>Article</span><select name="sku">${skus.map((sku) => html`<option>${sku}</option>`)}</select></label>
<label class="field"><span>Pieces</span><input name="quantity" type="number" min="1" max="99" value="1"></label>
<label class="field"><span>How</span><select name="way">${options(ways)}</select></label>
<label class="field"><span>Paid</span><select name="payment">${options(PAYMENTS)}</select></label>
<label class="field"><span>E-mail</span><input name="email" type="email" value="kari@example.com"></label>
<button>Order</button>
</form>`
}
