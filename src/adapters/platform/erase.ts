import type { ForgottenCustomer } from '../../domain/people/erasing/notice.ts'
import { counted } from '../../domain/values/counted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { CustomersPort } from '../../ports/customers.ts'
import { goneIfTold } from './removals.ts'

/**
 * A person is forgotten by the platform as a customer is deleted there (public facts, DELETE /api/Customer): by the ids that the hub
 * knows; where it knows none, by an address that one customer has there. Others with that address may be other people: those are named,
 * and stay.
 */
export function createPlatformErasing({
  customers,
  operations,
}: Pick<Platform, 'customers' | 'operations'>): CustomersPort {
  /** The ids of the customers with that address. */
  async function idsWith(email: string, signal: AbortSignal): Promise<string[]> {
    const ids: string[] = []
    for await (const { customerId, deleted } of customers.search({ email }, signal)) if (!deleted) ids.push(customerId)
    return ids
  }

  return {
    async erase({ theirIds, emails }: ForgottenCustomer, { signal }) {
      let deleted = 0
      let gone = 0
      const remove = async (id: string) => {
        try {
          await customers.delete(id, signal)
          deleted += 1
        } catch (error) {
          await goneIfTold(operations, 'customers.delete', error, 'the customer')
          gone += 1
        }
      }
      for (const id of theirIds) await remove(id)
      // A search may take long: those whom the hub knows are deleted by then.
      const unsure: string[] = []
      let isAsked = true
      for (const email of emails) {
        const found = await idsWith(email, signal).catch(notAsked)
        isAsked &&= found !== null
        const more = (found ?? []).filter((id) => !theirIds.includes(id))
        if (theirIds.length > 0 || more.length > 1) unsure.push(...more)
        else for (const id of more) await remove(id)
      }
      const done = `${counted(deleted, 'customer')} deleted, ${gone} not there (any more)`
      if (unsure.length > 0) throw ofSeveral(unsure, done)
      return { note: isAsked ? done : `${done}; it could not be asked whom it knows by their address` }
    },
  }
}

/** Null: such a platform cannot be asked. */
function notAsked(error: unknown): null {
  if (error instanceof PermanentError) return null
  throw error
}

function ofSeveral(ids: readonly string[], done: string): PermanentError {
  return new PermanentError(
    `platform: ${done}. More customers there have an address of theirs, and may be others: look in the portal at ${[...new Set(ids)].join(', ')}, and delete there who is meant.`,
    { code: 'several-customers' },
  )
}
