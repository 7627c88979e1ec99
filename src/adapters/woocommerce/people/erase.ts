import { z } from 'zod'
import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { counted } from '../../../domain/values/counted.ts'
import { isNotThere, PermanentError } from '../../../domain/values/errors.ts'
import type { Effect } from '../../../ports/attempt.ts'
import type { ShopApi } from '../api.ts'
import { id, part, readable, text, word } from '../document.ts'
import { isStaff, ShopCustomer } from '../intake/customer.ts'
import { isEmail } from './addresses.ts'
import { byEmail } from './customers-search.ts'
import { META, Meta, metaOf } from './shop-order.ts'

const Person = part({ first_name: text, email: text })

const Placed = z.object({
  id,
  status: word,
  total: word,
  billing: Person,
  shipping: Person,
  meta_data: readable(Meta),
})
type Placed = z.output<typeof Placed>

const Answered = z.object({ id })

/** The most that WooCommerce gives at once. */
const PAGE = 100

/** Orders for which nobody needs a name or an address any more. Of others goods are still to be sent, or money is to come. */
const OVER = new Set(['completed', 'cancelled', 'refunded', 'failed', 'trash'])

/**
 * Forgets a customer of the shop: orders that are over say the pseudonym from now on, then the account goes. WooCommerce has its own
 * eraser, but no REST API for it; `PUT /orders/{id}` and `DELETE /customers/{id}?force=true` do the same for what they reach, which
 * is not the IP address of an order, nor notes that people wrote. Throws a PermanentError where orders are not over yet.
 */
export async function eraseCustomer(api: ShopApi, who: ForgottenCustomer, signal: AbortSignal): Promise<Effect> {
  const { accounts, ofOthers } = await accountsOf(api, who, signal)
  const orders = await ordersOf(api, who, accounts, signal)
  const open = orders.filter(({ status }) => !OVER.has(status))
  const otherwise: number[] = []
  for (const order of orders)
    if (OVER.has(order.status) && !(await forget(api, order, who.pseudonym, signal))) otherwise.push(order.id)
  for (const { id } of accounts) await remove(api, id, signal)
  const check = [
    otherwise.length === 0 ? '' : `; the shop computed other totals, please check: ${otherwise.join(', ')}`,
    ofOthers.length === 0
      ? ''
      : `; an account is another customer’s, and stays: ${ofOthers.map(({ id }) => id).join(', ')}`,
  ].join('')
  if (open.length > 0)
    throw new PermanentError(
      `${counted(open.length, 'order')} of the customer ${open.length === 1 ? 'is' : 'are'} not over yet (${open
        .slice(0, 5)
        .map(({ id, status }) => `${id} ${status}`)
        .join(
          ', ',
        )}), and still say who it is: retry this delivery once they are. All else is forgotten there${check}.`,
      { code: 'orders-not-over' },
    )
  return {
    note: `${counted(accounts.length, 'account')} deleted, ${counted(orders.length, 'order')} without a name${check}`,
  }
}

/**
 * Whether the total stayed. With an address WooCommerce computes an order anew, by the taxes of today, so that what was booked years ago
 * would become another amount. It does not where the fields are named as meta data; a shop that does not know them by that, as its
 * answer shows, is sent the address.
 */
async function forget(api: ShopApi, order: Placed, pseudonym: string, signal: AbortSignal): Promise<boolean> {
  const path = `/orders/${order.id}`
  const { billing, shipping, meta_data, ...rest } = withoutPerson(order, pseudonym)
  const fields = Object.entries({ billing, shipping }).flatMap(([which, address]) =>
    Object.entries(address).map(([field, value]) => ({ key: `_${which}_${field}`, value })),
  )
  const answer = await api.write('PUT', path, { ...rest, meta_data: [...meta_data, ...fields] }, Placed, signal)
  const isForgotten = [answer.billing, answer.shipping].every(({ first_name }) => first_name === pseudonym)
  if (isForgotten && answer.billing.email === billing.email) return answer.total === order.total
  return (await api.write('PUT', path, { billing, shipping }, Placed, signal)).total === order.total
}

/**
 * The accounts of the customer, and those that the hub knows as theirs and that are another's by now: a family may share an address.
 * Throws a PermanentError where one of them is of somebody who works in the shop.
 */
async function accountsOf(api: ShopApi, { theirIds, emails, customerIds }: ForgottenCustomer, signal: AbortSignal) {
  const linked = theirIds
    .filter((id) => /^\d+$/.test(id))
    .map((id) => there(api, `/customers/${id}`, ShopCustomer, signal))
  const named = emails.filter(isEmail).map((email) => byEmail(api, email, signal))
  const found = (await Promise.all([...linked, ...named])).filter((one) => one !== null)
  const isOfAnother = (one: ShopCustomer) => {
    const whose = metaOf(one, META.customer)
    return whose !== null && !customerIds.includes(whose) && !emails.includes(one.email?.toLowerCase() ?? '')
  }
  const [accounts, ofOthers] = [found.filter((one) => !isOfAnother(one)), found.filter(isOfAnother)]
  if (accounts.some(isStaff))
    throw new PermanentError('the account is of somebody who works in the shop: nothing was changed there', {
      code: 'staff-account',
    })
  return { accounts: [...new Map(accounts.map((one) => [one.id, one])).values()], ofOthers }
}

/** Those of the accounts, those that the hub made for the person, and those of a guest with the same address. */
async function ordersOf(
  api: ShopApi,
  { orders, emails, customerIds }: ForgottenCustomer,
  accounts: readonly ShopCustomer[],
  signal: AbortSignal,
): Promise<Placed[]> {
  const found = new Map<number, Placed>()
  const own = new Set([...emails, ...accounts.map(({ email }) => email ?? '')].map((email) => email.toLowerCase()))
  for (const { id } of accounts)
    for (const order of await list(api, { customer: String(id) }, signal)) found.set(order.id, order)
  for (const email of own)
    if (isEmail(email))
      for (const order of await list(api, { search: email }, signal))
        if (order.billing.email?.toLowerCase() === email) found.set(order.id, order)
  for (const id of orders.filter((one) => /^\d+$/.test(one))) {
    const order = await there(api, `/orders/${id}`, Placed, signal)
    const email = order?.billing.email?.toLowerCase()
    // Somebody else's order may have the same number; of one that the hub made it knows whose it is, where a family has one address.
    const whose = order && metaOf(order, META.customer)
    const isTheirs = whose ? customerIds.includes(whose) : !email
    if (order && (isTheirs || (email && own.has(email)))) found.set(order.id, order)
  }
  return [...found.values()]
}

/** `any` leaves out the trash. */
async function list(api: ShopApi, query: Record<string, string>, signal: AbortSignal): Promise<Placed[]> {
  const all: Placed[] = []
  for (const status of ['any', 'trash'])
    for (let page = 1, full = true; full; page++) {
      const asked = { ...query, status, orderby: 'id', order: 'asc', per_page: String(PAGE), page: String(page) }
      const { value } = await api.get('/orders', asked, z.array(Placed), signal)
      all.push(...value)
      full = value.length === PAGE
    }
  return all
}

/** Null: it is not there (any more). */
async function there<T>(api: ShopApi, path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return (await api.get(path, {}, schema, signal)).value
  } catch (error) {
    if (isNotThere(error)) return null
    throw error
  }
}

async function remove(api: ShopApi, id: number, signal: AbortSignal): Promise<void> {
  try {
    await api.write('DELETE', `/customers/${id}?force=true`, {}, Answered, signal)
  } catch (error) {
    if (!isNotThere(error)) throw error
  }
}

/** Country and state stay: taxes go by them. */
function withoutPerson({ meta_data }: Placed, pseudonym: string) {
  const nobody = {
    first_name: pseudonym,
    last_name: '',
    company: '',
    address_1: '',
    address_2: '',
    city: '',
    postcode: '',
  }
  const ours = meta_data.filter(({ key }) => key === META.customer || key === META.email)
  return {
    billing: { ...nobody, email: `${pseudonym}@erased.invalid`, phone: '' },
    shipping: { ...nobody, phone: '' },
    customer_note: '',
    meta_data: ours.map(({ key }) => ({ key, value: pseudonym })),
  }
}
