import type { ForgottenCustomer } from '../../../domain/people/erasing/notice.ts'
import { counted } from '../../../domain/values/counted.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Effect } from '../../../ports/attempt.ts'
import type { ShopCustomer } from '../operations.ts'
import type { Shop } from '../shop.ts'
import { customersBy, whoseIs } from './whose.ts'

/**
 * Forgets a customer of the shop: addresses are deleted, names become the pseudonym, then the customer is deleted. In this order,
 * since Vendure keeps the row of a deleted customer, and does not show it any more. Addresses of orders that are placed stay: its
 * Admin API changes them only while an order is being modified. So does the history of the customer, into which Vendure writes each
 * change of name and address: its Admin API deletes nothing of it but notes.
 */
export async function eraseCustomer(shop: Shop, who: ForgottenCustomer, signal: AbortSignal): Promise<Effect> {
  const filters = [
    ...who.theirIds.map((id) => ({ id: { eq: id } })),
    ...who.emails.map((email) => ({ emailAddress: { eq: email } })),
  ]
  const found = new Map<string, ShopCustomer>()
  for (const filter of filters) for (const one of await customersBy(shop, filter, signal)) found.set(one.id, one)
  const ofOthers = [...found.values()].filter((one) => isOfAnother(one, who))
  for (const { id } of ofOthers) found.delete(id)
  for (const customer of found.values()) await eraseOne(shop, customer, who.pseudonym, signal)
  const facts = [
    `${counted(found.size, 'customer')} deleted`,
    ...(ofOthers.length > 0
      ? [`a customer is another one’s, and stays: ${ofOthers.map(({ id }) => id).join(', ')}`]
      : []),
    ...(found.size > 0 ? ['what the shop wrote into their history stays in its database'] : []),
    ...(who.orders.length > 0 ? [`addresses of ${counted(who.orders.length, 'order')} stay there`] : []),
  ]
  return { note: facts.join('; ') }
}

/** Whether the hub knows it as theirs, and it is another one's by now: a family may share an address. */
function isOfAnother(one: ShopCustomer, { customerIds, emails }: ForgottenCustomer): boolean {
  const whose = whoseIs(one)
  return whose !== null && !customerIds.includes(whose.customerId) && !emails.includes(one.emailAddress ?? '')
}

async function eraseOne(
  { api, operations }: Shop,
  customer: ShopCustomer,
  pseudonym: string,
  signal: AbortSignal,
): Promise<void> {
  const { id, addresses } = customer
  const whose = whoseIs(customer)
  if (whose) await api.run(operations.deleteCustomerNote, { id: whose.noteId }, signal)
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
