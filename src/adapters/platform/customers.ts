import type { NamedCustomer, SubmittedCustomer } from '../../domain/catalogue/submitted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { goneIfTold } from './removals.ts'

/** Customers to obtain or create (spec, "POS settlements and sales"), and to delete (public facts). No error holds an id of theirs. */
export function createCustomerWrites({
  customers,
  operations,
}: Pick<Platform, 'customers' | 'operations'>): Pick<PlatformPort, 'saveCustomer' | 'deleteCustomer'> {
  /** As known by link, or as the platform says; null: it has none. */
  async function idOf({ extId = '', customerId }: NamedCustomer, { links, signal }: Attempt): Promise<string | null> {
    if (customerId !== undefined) return customerId
    const [known] = await links('customer', [extId])
    if (known) return known.theirId
    for await (const found of customers.search({ extIds: [extId] }, signal)) return found.customerId
    if (await operations.isProven('customers.search')) return null
    throw new PermanentError(
      'platform: this platform has never found any customer, so its word that it has none of this extId proves nothing. ' +
        'Give the customerId; where customers are searched otherwise: platform.endpoints, customers.search',
      { code: 'customer-unseen' },
    )
  }

  return {
    async saveCustomer(customer, { signal }) {
      const customerId = await customers.obtain(customer, signal)
      return { links: [customerLink(customer, customerId)], note: `customer id ${customerId}` }
    },

    async deleteCustomer(named, attempt) {
      const id = await idOf(named, attempt)
      if (id === null) return { note: 'not there (any more)' }
      try {
        await customers.delete(id, attempt.signal)
        return { note: 'deleted' }
      } catch (error) {
        return await goneIfTold(operations, 'customers.delete', error, 'the customer')
      }
    },
  }
}

export function customerLink({ extId }: SubmittedCustomer, customerId: string): NonNullable<Effect['links']>[number] {
  return { kind: 'customer', id: extId, theirId: customerId }
}
