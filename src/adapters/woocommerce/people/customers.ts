import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type CustomerRecord, UNKNOWN_CUSTOMER } from '../../../domain/people/customer-record.ts'
import { mayBeOneName } from '../../../domain/people/same-person.ts'
import { isNotThere, PermanentError } from '../../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { CustomersPort } from '../../../ports/customers.ts'
import type { ShopApi } from '../api.ts'
import { id } from '../document.ts'
import { ShopCustomer } from '../intake/customer.ts'
import { saysCode } from '../says-code.ts'
import { isEmail } from './addresses.ts'
import { customerBody } from './customers-body.ts'
import { byEmail, createCustomerSearch } from './customers-search.ts'
import { eraseCustomer } from './erase.ts'
import { META, metaOf } from './shop-order.ts'

const Saved = z.object({ id })

const NO_EMAIL = 'the shop keeps no customer without an e-mail address, and this one has none: nothing was sent'
const REFUSED_EMAIL = 'the e-mail address is none that WordPress takes: nothing was sent'

/**
 * Customers with an account of the shop. An e-mail address has one account at most, so that a customer who is created twice is
 * the same one: an uncertain attempt is simply made again.
 */
export function createWooCustomers(api: ShopApi): CustomersPort {
  return {
    async upsert(customer, attempt) {
      const link = await linked(customer, attempt)
      const known = link && !isOfAnother(link, customer) ? link : await withEmail(customer, attempt)
      if (known !== null) return await update(known, customer, attempt)
      if (customer.email === null) return { note: NO_EMAIL }
      if (!isEmail(customer.email)) return { note: REFUSED_EMAIL }
      return await create(customer, attempt)
    },
    erase: (who, { signal }) => eraseCustomer(api, who, signal),
    search: createCustomerSearch(api),
  }

  /** The account that the hub knows it by; null: there is none, or it was deleted. */
  async function linked({ customerId }: CustomerRecord, attempt: Attempt): Promise<ShopCustomer | null> {
    if (customerId === null) return null
    const [link] = await attempt.links('customer', [customerId])
    if (!link) return null
    const path = `/customers/${encodeURIComponent(link.theirId)}`
    try {
      return (await api.get(path, {}, ShopCustomer, attempt.signal)).value
    } catch (error) {
      if (isNotThere(error)) return null
      throw error
    }
  }

  async function withEmail({ email }: CustomerRecord, { signal }: Attempt): Promise<ShopCustomer | null> {
    if (email === null || !isEmail(email)) return null
    return await byEmail(api, email, signal)
  }

  async function create(customer: CustomerRecord, attempt: Attempt): Promise<Effect> {
    try {
      return effectOf('created', customer, await post(customerBody(customer), attempt.signal))
    } catch (error) {
      // Somebody was faster, or an attempt whose answer was lost.
      if (saysCode(error, 'registration-error-email-exists')) {
        const known = await withEmail(customer, attempt)
        if (known !== null) return await update(known, customer, attempt)
      }
      throw error
    }
  }

  /** The shop says that something is missing, not what: it makes no passwords itself, or no names, or neither. */
  async function post(body: object, signal: AbortSignal, more = whatShopsLeaveOut()): Promise<z.output<typeof Saved>> {
    try {
      return await api.write('POST', '/customers', body, Saved, signal)
    } catch (error) {
      const [next, ...rest] = more
      if (!next || !isMissingSomething(error)) throw error
      return await post({ ...body, ...next }, signal, rest)
    }
  }

  async function update(known: ShopCustomer, customer: CustomerRecord, { signal }: Attempt): Promise<Effect> {
    if (isOfAnother(known, customer))
      return {
        note: `the account with this e-mail address is another customer’s (${metaOf(known, META.customer)}), by another first name, and the shop keeps one for each address: nothing was sent`,
      }
    const body = customerBody(customer, known)
    return effectOf('updated', customer, await api.write('PUT', `/customers/${known.id}`, body, Saved, signal))
  }
}

/**
 * A password, a name in its place, then both. Nobody ever learns them: the customer signs in by e-mail address, and asks the shop for
 * another password.
 */
function whatShopsLeaveOut(): object[] {
  const password = randomBytes(24).toString('base64url')
  const username = `customer-${randomBytes(6).toString('hex')}`
  return [{ password }, { username, password: undefined }, { password }]
}

/** The name of the account and its password are all that this request can lack. */
function isMissingSomething(error: unknown): boolean {
  return error instanceof PermanentError && error.message.includes(': rest_missing_callback_param')
}

/** A family may share an e-mail address: each of them would write over what the account says of the other. */
function isOfAnother(account: ShopCustomer, customer: CustomerRecord): boolean {
  const whose = metaOf(account, META.customer)
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName: account.first_name ?? null })
}

function effectOf(what: string, { customerId }: CustomerRecord, { id }: { id: number }): Effect {
  const note = `customer ${id} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId: String(id) }] }
}
