import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { counted } from '../../../domain/values/counted.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Effect } from '../../../ports/attempt.ts'
import type { ShopCustomer } from '../operations.ts'
import { customerByEmail } from '../orders/buyer.ts'
import type { Shop } from '../shop.ts'

/**
 * Forgets a customer of the shop: addresses are deleted, names become the pseudonym, then the customer is deleted. In this order,
 * since Vendure keeps the row of a deleted customer, and does not show it any more. Addresses of orders that are placed stay: its
 * Admin API changes them only while an order is being modified.
 */
export async function eraseCustomer(shop: Shop, who: ForgottenCustomer, signal: AbortSignal): Promise<Effect> {
  const { api, operations } = shop
  const found = new Map<string, ShopCustomer>()
  for (const id of who.theirIds) {
    const options = { filter: { id: { eq: id } }, take: 1 }
    const { items } = await api.run(operations.customers, { options }, signal)
    if (items[0]) found.set(items[0].id, items[0])
  }
  for (const email of who.emails) {
    const one = await customerByEmail(shop, email, signal)
    if (one) found.set(one.id, one)
  }
  for (const customer of found.values()) await eraseOne(shop, customer, who.pseudonym, signal)
  const left = who.orders.length > 0 ? `; addresses of ${counted(who.orders.length, 'order')} stay there` : ''
  return { note: `${counted(found.size, 'customer')} deleted${left}` }
}

async function eraseOne(
  { api, operations }: Shop,
  { id, addresses }: ShopCustomer,
  pseudonym: string,
  signal: AbortSignal,
): Promise<void> {
  for (const address of addresses ?? []) await api.run(operations.deleteAddress, { id: address.id }, signal)
  // No two customers have one address.
  const emailAddress = `${pseudonym}-${id}@erased.invalid`
  const input = { id, firstName: pseudonym, lastName: '', phoneNumber: '', emailAddress }
  await api.run(operations.updateCustomer, { input }, signal)
  const { result } = await api.run(operations.deleteCustomer, { id }, signal)
  if (result !== 'DELETED')
    throw new PermanentError(
      `${api.destination}: the shop did not delete customer ${id}, who has no name there any more`,
      {
        code: 'not-deleted',
      },
    )
}
