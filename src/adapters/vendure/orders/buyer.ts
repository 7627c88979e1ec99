import type { TillOrder } from '../../../domain/orders/order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { ShopCustomer } from '../operations.ts'
import { given } from '../people/addresses.ts'
import type { Shop } from '../shop.ts'

/** For `setCustomerForDraftOrder`: a customer of the shop, else a guest. */
export async function buyerOf(shop: Shop, { customer }: TillOrder, signal: AbortSignal): Promise<object> {
  const emailAddress = (customer?.email ?? shop.options.guestEmail)?.toLowerCase()
  if (emailAddress === undefined)
    throw new PermanentError(
      `${shop.api.destination}: the order has no e-mail address, without which Vendure takes none: guestEmail in config can stand for it`,
      { code: 'no-email' },
    )
  const known = await customerByEmail(shop, emailAddress, signal)
  if (known) return { customerId: known.id }
  return {
    input: {
      ...given({ phoneNumber: customer?.phone }),
      emailAddress,
      firstName: customer?.firstName ?? '',
      lastName: customer?.lastName ?? customer?.companyName ?? '',
    },
  }
}

async function customerByEmail(
  { api, operations }: Shop,
  email: string,
  signal: AbortSignal,
): Promise<ShopCustomer | null> {
  const options = { filter: { emailAddress: { eq: email } }, take: 1 }
  const { items } = await api.run(operations.customers, { options }, signal)
  return items[0] ?? null
}
