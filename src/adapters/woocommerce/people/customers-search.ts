import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { z } from 'zod'
import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import type { CustomerRecord } from '../../../domain/people/customer-record.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { ShopApi } from '../api.ts'
import { id, optional } from '../document.ts'
import { accountAddress, ShopCustomer } from '../intake/customer.ts'
import { type KnownAddress, phoneIn, ShopAddress, streetOf } from '../intake/shop-address.ts'

const Ordered = z.object({ customer_id: optional(id), billing: ShopAddress })

/** As many orders of one number as are looked through, the newest first. */
const MOST_ORDERS = '20'

/** The account with exactly this e-mail address, whoever it is; null: there is none. */
export async function byEmail(api: ShopApi, email: string, signal: AbortSignal): Promise<ShopCustomer | null> {
  const { value } = await api.get('/customers', { email, role: 'all' }, z.array(ShopCustomer), signal)
  // Compared here again: `*` in an address is a wildcard for WordPress.
  return value.find((one) => one.email?.toLowerCase() === email.toLowerCase()) ?? null
}

/**
 * Customers for a till that waits. WooCommerce finds accounts by e-mail address, but by no phone number; its orders it does
 * search by all that is in their addresses. So a number is looked for there, and who ordered with it is the answer, with an
 * account or without one.
 */
export function createCustomerSearch(
  api: ShopApi,
): (query: CustomerQuery, question: Question) => Promise<CustomerRecord[]> {
  return async (query, { signal }) => {
    if (query.type === 'email') {
      const found = await byEmail(api, query.email, signal)
      return found ? [recordOf(String(found.id), accountAddress(found))] : []
    }
    const spellings = spellingsOf(query)
    const answers = await Promise.all(spellings.map((spelling) => ordersWith(spelling, signal)))
    const own = answers.flat().filter(({ billing }) => query.numbers.includes(phoneIn(billing) ?? ''))
    const people = new Map<string, CustomerRecord>()
    for (const { customer_id, billing } of own) {
      const who = customer_id ? String(customer_id) : (billing.email?.toLowerCase() ?? '')
      if (!people.has(who)) people.set(who, recordOf(customer_id ? String(customer_id) : null, billing))
    }
    return [...people.values()]
  }

  async function ordersWith(spelling: string, signal: AbortSignal): Promise<z.output<typeof Ordered>[]> {
    const asked = {
      search: spelling,
      orderby: 'date',
      order: 'desc',
      per_page: MOST_ORDERS,
      _fields: 'customer_id,billing',
    }
    return (await api.get('/orders', asked, z.array(Ordered), signal)).value
  }
}

/**
 * A number is found within what is written, but not across blanks: so as it is dialled at home, in the groups of its country,
 * and in those that people make besides, pairs and three at the ends.
 */
function spellingsOf({ numbers, typed }: Extract<CustomerQuery, { type: 'phone' }>): string[] {
  const likeliest = parsePhoneNumberFromString(numbers[0] ?? '')
  if (!likeliest) return [typed]
  const { nationalNumber: home } = likeliest
  const inGroups = likeliest.formatInternational().replace(/^\+\d+ /, '')
  const pairs = home.replaceAll(/(\d\d)(?=\d)/g, '$1 ')
  const ends = home.replace(/^(\d{3})(\d{2,})(\d{3})$/, '$1 $2 $3')
  return [...new Set([home, inGroups, pairs, ends, typed])]
}

function recordOf(extId: string | null, address: KnownAddress): CustomerRecord {
  return {
    customerId: null,
    extId,
    email: address.email?.toLowerCase() ?? null,
    firstName: address.first_name ?? null,
    lastName: address.last_name ?? null,
    companyName: address.company ?? null,
    phone: phoneIn(address),
    address: streetOf(address),
    postalCode: address.postcode ?? null,
    city: address.city ?? null,
    countryCode: address.country?.toUpperCase() ?? null,
  }
}
