import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { FoundCustomer, FoundOrder, Lookups } from '../people/lookups.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { choice, counted, table, textField } from './parts.ts'

/** The questions that the POS asks the retailer's own CRM and OMS, and what is done with the answer. */
export function createLookupPages({ lookups }: { lookups: Lookups }, frame: Frame): Router {
  const router = Router()
  router.get('/orders/find', async (request, response) => {
    const number = wordsOf(request.query.q)
    const store = storeHere(request)
    const said = await answerTo(number, async () => {
      const order = await lookups.order(number)
      return order ? orderFound(order, store) : html`<p role="status">There is no order ${number}.</p>`
    })
    await frame(request, response, 'Online order', html`${orderSearch(store, number)}${said}`)
  })
  router.get('/customers/find', async (request, response) => {
    const query = wordsOf(request.query.q)
    const store = storeHere(request)
    const said = await answerTo(query, async () => customersFound(await lookups.customers(query)))
    const back = html`<p><a href="${to('/customers', store)}">Customers of the platform</a></p>`
    await frame(request, response, 'Customers of the CRM', html`${customerSearch(store, query)}${said}${back}`)
  })
  return router
}

/** The form that looks an order up in the OMS. */
export function orderSearch(store: Store, number = ''): Markup {
  return search('/orders/find', 'Ask the OMS', store, 'Order number', number)
}

/** The form that looks for a customer in the CRM. */
export function customerSearch(store: Store, query = ''): Markup {
  return search('/customers/find', 'Ask the CRM', store, 'E-mail or phone', query)
}

function search(action: string, name: string, store: Store, label: string, value: string): Markup {
  return html`<form method="get" action="${action}" class="line" role="search" aria-label="${name}">
<input type="hidden" name="store" value="${store.StoreNo}">
${textField(label, 'q', { type: 'search', value, autocomplete: 'off', required: 'required' })}
<button>${name}</button>
</form>`
}

/** The answer to a question, and how long it took: the customer waits for it. Nothing asked: nothing. */
async function answerTo(query: string, ask: () => Promise<Markup>): Promise<Markup> {
  if (query === '') return html``
  const began = performance.now()
  try {
    const said = await ask()
    return html`${said}<p class="quiet">Answered in ${Math.round(performance.now() - began)} ms.</p>`
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return html`<div class="said bad" role="alert"><p>No answer: ${error.message}</p></div>`
  }
}

type FoundLine = FoundOrder['orderLines'][number]

function orderFound({ orderNo, status, orderLines, total, currency }: FoundOrder, store: Store): Markup {
  const sum = total === null || total === undefined ? '' : `: ${total.toFixed(2)} ${currency ?? ''}`
  return html`<h2>Order ${orderNo}</h2>
<p>${[status, counted(orderLines.length, 'line')].filter(Boolean).join(', ')}${sum}</p>
${table(
  `Lines of order ${orderNo}`,
  ['Article', '#Bought', '#Came back', '#Price', 'GTIN'],
  orderLines.map((line) => [
    line.name ?? '',
    line.quantity,
    line.returnedQuantity ?? 0,
    line.price.toFixed(2),
    line.gtin ?? 'None: no POS knows it',
  ]),
)}
<h2>What comes back</h2>
${orderLines.some(isReturnable) ? '' : html`<p>Nothing of it can be taken back.</p>`}
<div class="cards wide">${orderLines.filter(isReturnable).map((line) => returnCard(orderNo, line, store))}</div>`
}

/** The line is of an article that a POS knows, and has not come back as a whole before. */
function isReturnable(line: FoundLine): boolean {
  return Boolean(line.gtin) && leftOf(line) > 0
}

function leftOf({ quantity, returnedQuantity }: FoundLine): number {
  return quantity - (returnedQuantity ?? 0)
}

function returnCard(orderNo: string, line: FoundLine, store: Store): Markup {
  const name = line.name ?? line.gtin ?? ''
  const left = leftOf(line)
  return html`<section class="card"><h3>${name}</h3>
<form method="post" action="${to('/orders/return', store)}" class="line">
<input type="hidden" name="orderNo" value="${orderNo}"><input type="hidden" name="rowId" value="${line.rowId ?? ''}">
<input type="hidden" name="gtin" value="${line.gtin ?? ''}">
${textField(`Pieces, of ${left}`, 'quantity', { type: 'number', min: 1, max: left, value: 1 })}
${choice('Money', 'isRefunded', [
  ['false', 'The online store refunds it'],
  ['true', 'The POS gave it back'],
])}
<button>Take it back<span class="heard"> ${name}</span></button></form></section>`
}

function customersFound(found: readonly FoundCustomer[]): Markup {
  if (found.length === 0) return html`<p role="status">Nobody is known there by that.</p>`
  return html`<h2>${counted(found.length, 'customer')}</h2>
${table(
  'Customers found',
  ['Customer', 'Id', 'Own id', 'E-mail', 'Phone'],
  found.map((one) => [
    [one.firstName, one.lastName].filter(Boolean).join(' '),
    one.customerId ?? '',
    one.customerExtId ?? '',
    one.email ?? '',
    [one.phoneCountryPrefix && `+${one.phoneCountryPrefix.replace('+', '')}`, one.phone].filter(Boolean).join(' '),
  ]),
)}`
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
