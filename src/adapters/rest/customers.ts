import type { CustomersPort } from '../../ports/customers.ts'
import type { Api } from './asking/api.ts'
import { makeEffect } from './effects.ts'
import { foundCustomers } from './found.ts'
import type { RestOptions } from './schema.ts'
import { search } from './search.ts'

/** The customers port of what config has. What is written is how things are (the whole customer, all consents): it may be sent again. */
export function createCustomers(
  api: Api,
  { upsert, noteConsent, erase, byEmail, byPhone }: NonNullable<RestOptions['customers']>,
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
    ...(noteConsent && {
      noteConsent: (consent, attempt) => {
        const known = { kind: 'customer', id: consent.customerId }
        const method = { where: `${where}.noteConsent`, written: noteConsent, once: false }
        return makeEffect(api, method, { input: { consent }, known, made: known }, attempt)
      },
    }),
    ...(erase && {
      async erase(forgotten, attempt) {
        const method = { where: `${where}.erase`, written: erase, once: false }
        const ids = forgotten.theirIds.length > 0 ? forgotten.theirIds : [null]
        const notes: string[] = []
        for (const theirId of ids) {
          const subject = { input: { forgotten, theirId }, known: null, made: null }
          notes.push((await makeEffect(api, method, subject, attempt)).note ?? '')
        }
        return { note: notes.join(', ') }
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
