import type { ForgottenCustomer } from '../../domain/people/erasing/notice.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CustomersPort } from '../../ports/customers.ts'
import { goneIfTold } from './removals.ts'

/** A person is forgotten by the platform as a customer is deleted there (public facts, DELETE /api/Customer). */
export function createPlatformErasing({
  customerChanges,
  operations,
}: Pick<Platform, 'customerChanges' | 'operations'>): CustomersPort {
  return {
    async erase({ theirIds }: ForgottenCustomer, { signal }) {
      let gone = 0
      for (const id of theirIds)
        try {
          await customerChanges.delete(id, signal)
        } catch (error) {
          await goneIfTold(operations, 'customers.delete', error, 'the customer')
          gone += 1
        }
      return { note: `${counted(theirIds.length - gone, 'customer')} deleted, ${gone} not there (any more)` }
    },
  }
}
