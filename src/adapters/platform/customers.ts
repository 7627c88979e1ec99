import type { SubmittedCustomer } from '../../domain/catalogue/submitted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'

/** Customers to obtain or create (spec, "POS settlements and sales"). */
export function createCustomerWrites({ customers }: Pick<Platform, 'customers'>): Pick<PlatformPort, 'saveCustomer'> {
  return {
    async saveCustomer(customer, { signal }) {
      const customerId = await customers.obtain(customer, signal)
      return { links: [customerLink(customer, customerId)], note: `customer id ${customerId}` }
    },
  }
}

export function customerLink({ extId }: SubmittedCustomer, customerId: string): NonNullable<Effect['links']>[number] {
  return { kind: 'customer', id: extId, theirId: customerId }
}
