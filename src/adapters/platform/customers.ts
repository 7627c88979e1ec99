import type { NamedCustomer, SubmittedCustomer } from '../../domain/catalogue/submitted.ts'
import type { ErasedCustomer } from '../../domain/privacy/notice.ts'
import { isNotFound, PermanentError } from '../../domain/values/errors.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { OperationName } from '../../platform/http/endpoints.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Attempt, CustomersPort, Effect, PlatformPort } from '../../ports/ports.ts'
import { createProductIds, type Methods, type Of, productLink, refused } from './catalogue.ts'

const GONE: Effect = { note: 'not there (any more)' }

/** Public facts, DELETE /api/products. */
export function createRemovals(platform: Of<'productRemovals' | 'products' | 'operations'>): Methods<'deleteProduct'> {
  const { productRemovals, products, operations } = platform
  const productIds = createProductIds(products)

  async function deleteGtins(extId: string, attempt: Attempt): Promise<Effect> {
    const { ids, refusals } = await productIds.byExtId([extId], attempt)
    const productId = ids.get(extId)
    if (productId === undefined) {
      if (!refusals.has(extId) && (await operations.isProven('products.byExtId'))) return GONE
      throw refused(
        'not-deleted',
        `the GTINs of ${extId} were not deleted: only the platform's own id of the product names them, and the platform did not tell ` +
          'it (platform.endpoints, products.byExtId). Delete them one by one, each by its gtin, or in the portal.',
        refusals.get(extId),
      )
    }
    const links = [productLink(extId, productId)]
    try {
      await productRemovals.deleteGtins({ productId }, attempt.signal)
      return { links, note: 'deleted' }
    } catch (error) {
      return await goneIfTold(operations, 'products.deleteGtins', error, `what GTINs ${extId} has`)
    }
  }

  return {
    async deleteProduct({ extId, gtin, gtins }, attempt) {
      if (gtins === 'all') return await deleteGtins(extId, attempt)
      const { name, links } = await productIds.nameInPath(extId, attempt)
      const operation =
        gtin === undefined ? 'products.delete' : 'extId' in name ? 'products.deleteGtinByExtId' : 'products.deleteGtin'
      try {
        if (gtin === undefined) await productRemovals.delete(name, attempt.signal)
        else await productRemovals.deleteGtin(name, gtin, attempt.signal)
        return { links, note: 'deleted' }
      } catch (error) {
        return await goneIfTold(operations, operation, error, gtin === undefined ? extId : `GTIN ${gtin} of ${extId}`)
      }
    },
  }
}

/** A 404 of an operation that never worked may mean the endpoint: nothing counts as deleted. */
export async function goneIfTold(
  operations: Platform['operations'],
  operation: OperationName,
  error: unknown,
  what: string,
): Promise<Effect> {
  if (!isNotFound(error)) throw error
  if (await operations.isProven(operation)) return GONE
  throw new PermanentError(
    `platform: ${what} may still be there. The platform answered 404 to its deletion, and no deletion has ever worked on it: ` +
      `the 404 may mean the endpoint. Look in the portal; where it is deleted otherwise: platform.endpoints, ${operation}.`,
    { code: 'not-deleted', cause: error },
  )
}

/** Spec, "POS settlements and sales"; deletion: public facts. Errors show no ids. */
export function createCustomerWrites({
  customers,
  operations,
}: Pick<Platform, 'customers' | 'operations'>): Pick<PlatformPort, 'saveCustomer' | 'deleteCustomer'> {
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

/** Deletes a data subject's customers (public facts, DELETE /api/Customer) by known ids, else by an address that only one has. Others with it are named. */
export function createPlatformErasing({ customers, operations }: Of<'customers' | 'operations'>): CustomersPort {
  async function idsWith(email: string, signal: AbortSignal): Promise<string[]> {
    const ids: string[] = []
    for await (const { customerId, deleted } of customers.search({ email }, signal)) if (!deleted) ids.push(customerId)
    return ids
  }

  return {
    async erase({ theirIds, emails }: ErasedCustomer, { signal }) {
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
      // A search may take long: known customers go first.
      const unsure: string[] = []
      let isAsked = true
      for (const email of emails) {
        const found = await idsWith(email, signal).catch(notAsked)
        isAsked &&= found !== null
        const more = (found ?? []).filter((id) => !theirIds.includes(id))
        if (theirIds.length > 0 || more.length > 1) unsure.push(...more)
        else for (const id of more) await remove(id)
      }
      const done = `${pluralize(deleted, 'customer')} deleted, ${gone} not there (any more)`
      if (unsure.length > 0) throw ofSeveral(unsure, done)
      return { note: isAsked ? done : `${done}; it could not be asked whom it knows by their address` }
    },
  }
}

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
