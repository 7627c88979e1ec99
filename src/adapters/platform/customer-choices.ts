import type { NamedCustomer } from '../../domain/catalogue/submitted.ts'
import { PermanentError, UnknownOutcomeError } from '../../domain/values/errors.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { goneIfTold } from './removals.ts'
import { sentOnce } from './uncertain.ts'

type Links = NonNullable<Effect['links']>

/** The choices of customers besides what they buy (public facts). No error holds an id of theirs. */
export function createCustomerChoices({
  customers,
  customerChanges,
  bonus,
  operations,
}: Pick<Platform, 'customers' | 'customerChanges' | 'bonus' | 'operations'>): Pick<
  PlatformPort,
  'deleteCustomer' | 'noteConsent' | 'bookBonus'
> {
  /** As known by link, or as the platform says; null: it has none. */
  async function idOf(named: NamedCustomer, { links, signal }: Attempt): Promise<{ id: string; links: Links } | null> {
    if (named.customerId !== undefined) return { id: named.customerId, links: [] }
    const extId = named.extId ?? ''
    const [known] = await links('customer', [extId])
    if (known) return { id: known.theirId, links: [] }
    for await (const found of customers.search({ extIds: [extId] }, signal))
      return { id: found.customerId, links: [{ kind: 'customer', id: extId, theirId: found.customerId }] }
    if (await operations.isProven('customers.search')) return null
    throw new UnknownOutcomeError(
      'platform: this platform has never found any customer, so its word that it has none of this extId proves nothing. ' +
        'Give the customerId; where customers are searched otherwise: platform.endpoints, customers.search',
      { code: 'not-proven' },
    )
  }

  async function someone(named: NamedCustomer, attempt: Attempt): Promise<{ id: string; links: Links }> {
    const found = await idOf(named, attempt)
    if (found) return found
    throw new PermanentError('platform: there is no customer of this extId. Submit the customer first.', {
      code: 'unknown-customer',
    })
  }

  return {
    async deleteCustomer(named, attempt) {
      const found = await idOf(named, attempt).catch(notSeen)
      if (!found) return { note: 'not there (any more)' }
      try {
        await customerChanges.delete(found.id, attempt.signal)
        return { note: 'deleted' }
      } catch (error) {
        return await goneIfTold(operations, 'customers.delete', error, 'the customer')
      }
    },

    async noteConsent({ agreed, ...named }, attempt) {
      const { id, links } = await someone(named, attempt).catch(notSeen)
      await customerChanges[agreed ? 'optIn' : 'optOut'](id, attempt.signal)
      return { links, note: agreed ? 'opted in' : 'opted out' }
    },

    async bookBonus({ reference: _, extId, customerId, ...points }, attempt) {
      const named = customerId === undefined ? { extId: extId ?? '' } : { customerId }
      const { id, links } = await someone(named, attempt).catch(notSeen)
      await sentOnce(bonus.book({ ...points, customerId: id }, attempt.signal))
      return { links, note: `${points.amount} points` }
    },
  }
}

/** Nothing was sent yet: what a search does not tell is no unknown effect. */
function notSeen(error: unknown): never {
  if (!(error instanceof UnknownOutcomeError)) throw error
  throw new PermanentError(error.message, { code: 'customer-unseen', cause: error })
}
