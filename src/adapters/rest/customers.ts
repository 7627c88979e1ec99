import type { CustomersPort } from '../../ports/customers.ts'
import type { Api } from './asking/api.ts'
import { makeEffect } from './effects.ts'
import { foundCustomers } from './found.ts'
import type { RestOptions } from './schema.ts'
import { search } from './search.ts'

/** The customers port of what config has. What is written is the whole customer: it may be sent again. */
export function createCustomers(
  api: Api,
  { upsert, byEmail, byPhone }: NonNullable<RestOptions['customers']>,
  destination: string,
): CustomersPort {
  const where = `${destination}: customers`
  return {
    ...(upsert && {
      upsert: (customer, attempt) => {
        const known = customer.customerId === null ? null : { kind: 'customer', id: customer.customerId }
        const method = { where: `${where}.upsert`, written: upsert, once: false }
        return makeEffect(api, method, { input: { customer }, known, made: known }, attempt)
      },
    }),
    ...((byEmail || byPhone) && {
      async search(query, { signal }) {
        const name = query.type === 'email' ? 'byEmail' : 'byPhone'
        const template = query.type === 'email' ? byEmail : byPhone
        if (!template) return []
        const input =
          query.type === 'email'
            ? { email: query.email }
            : { phones: query.numbers, phone: query.numbers[0], typed: query.typed }
        const reading = { where: `${where}.${name}`, template, input, signal }
        return await search(api, reading, (over) => foundCustomers(reading.where, template.answer, over))
      },
    }),
  }
}
