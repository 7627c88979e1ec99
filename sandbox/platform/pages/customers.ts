import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import type { Actions } from '../actions/all.ts'
import { AskedCustomer, AskedCustomerChange } from '../actions/asked-people.ts'
import type { CustomerBook, KnownCustomer } from '../people/book.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import type { Door } from './door.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { customerSearch } from './lookups.ts'
import { counted, table, textField } from './parts.ts'
import { ask, tell } from './tell.ts'

/** The most customers that are shown; the search finds the others. */
const SHOWN = 15

interface Means {
  actions: Pick<Actions, 'createCustomer' | 'updateCustomer'>
  customers: Pick<CustomerBook, 'search' | 'byId'>
}

/** The customers of the company, and their data. */
export function createCustomersPages({ actions, customers }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/customers', (request, response) => {
    const words = typeof request.query.q === 'string' ? request.query.q.trim() : ''
    return frame(request, response, 'Customers', listPage(matching(customers, words), words, storeHere(request)))
  })
  router.get('/customers/:id', (request, response) => {
    const customer = customers.byId(Number(request.params.id))
    if (!customer) throw new Refusal(404, `There is no customer ${request.params.id}.`)
    return frame(request, response, `Customer ${customer.customerid}`, editPage(customer, storeHere(request)))
  })

  door.on('/customers/create', '/customers', (store, form) =>
    tell('New customer', actions.createCustomer(ask(AskedCustomer, { store: store.StoreNo, ...form.all() }))),
  )
  door.on('/customers/:id/change', '/customers', (store, form, { id }) => {
    const asked = ask(AskedCustomerChange, { store: store.StoreNo, ...form.all(), customerId: id })
    return tell('Changed', actions.updateCustomer(asked))
  })
  return router
}

/** The customers who have each word in the name, the e-mail address or the phone number. */
function matching(customers: Means['customers'], words: string): KnownCustomer[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return customers.search({}).filter(({ firstName, lastName, companyName, email, phone, customerid }) => {
    const said = `${firstName} ${lastName} ${companyName} ${email} ${phone} ${customerid}`.toLowerCase()
    return wanted.every((word) => said.includes(word))
  })
}

function listPage(found: readonly KnownCustomer[], words: string, store: Store): Markup {
  return html`<form method="get" action="/customers" class="line" role="search">
<input type="hidden" name="store" value="${store.StoreNo}">
${textField('Name, e-mail or phone', 'q', { type: 'search', value: words, autocomplete: 'off' })}
<button>Search</button>
</form>
<p class="quiet">${found.length > SHOWN ? `The latest ${SHOWN} of ${counted(found.length, 'customer')}: search for others.` : counted(found.length, 'customer')}</p>
${table(
  'Customers',
  ['Customer', 'Id', 'Own id', 'E-mail', 'Phone', 'City'],
  found
    .toSorted((a, b) => b.upt - a.upt)
    .slice(0, SHOWN)
    .map((customer) => [
      html`<a href="${to(`/customers/${customer.customerid}`, store)}">${nameOf(customer)}</a>`,
      customer.customerid,
      customer.extId,
      customer.email,
      phoneOf(customer),
      customer.city,
    ]),
)}
<h2>Is the customer known to the CRM?</h2>
${customerSearch(store)}
<h2>New customer</h2>
<form method="post" action="${to('/customers/create', store)}" class="line">
${textField('First name', 'firstName', { autocomplete: 'off' })}
${textField('Last name', 'lastName', { autocomplete: 'off' })}
${textField('E-mail', 'email', { type: 'email', autocomplete: 'off' })}
${textField('Phone', 'phone', { type: 'tel', autocomplete: 'off' })}
<button>Create</button>
</form>
<p class="quiet">What is left empty is made up.</p>`
}

function editPage(customer: KnownCustomer, store: Store): Markup {
  const field = (label: string, name: keyof KnownCustomer, type = 'text') =>
    textField(label, name, { type, value: String(customer[name] ?? ''), autocomplete: 'off' })
  return html`<p><a href="${to('/customers', store)}">All customers</a></p>
<form method="post" action="${to(`/customers/${customer.customerid}/change`, store)}" class="card fields">
${field('First name', 'firstName')}
${field('Last name', 'lastName')}
${field('E-mail', 'email', 'email')}
${field('Phone', 'phone', 'tel')}
${field('Address', 'address')}
${field('Postal code', 'postalCode')}
${field('City', 'city')}
<div class="actions"><button class="strong">Save</button></div>
</form>`
}

function nameOf({ firstName, lastName, companyName, customerid }: KnownCustomer): string {
  return [firstName, lastName].filter(Boolean).join(' ') || companyName || `Customer ${customerid}`
}

function phoneOf({ phone, phoneCountryPrefix }: KnownCustomer): string {
  return phone && phoneCountryPrefix ? `+${phoneCountryPrefix} ${phone}` : phone
}
