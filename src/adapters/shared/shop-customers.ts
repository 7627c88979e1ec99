import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../domain/customers/customer-record.ts'
import type { ErasedCustomer } from '../../domain/privacy/notice.ts'
import type { Attempt, Effect } from '../../ports/attempt.ts'

/** `whose`: the platform's id of the customer for whom it was last written, where the shop stores that. */
interface Owner {
  whose: string | null
  firstName: string | null
  email: string | null
}

interface Accounts<Account> {
  byId(id: string): Promise<Account | null>
  byEmail(email: string): Promise<Account | null>
  ownerOf(account: Account): Owner
}

export async function accountFor<Account>(
  customer: CustomerRecord,
  attempt: Attempt,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<Account | null> {
  const { customerId, email } = customer
  const [link] = customerId === null ? [] : await attempt.links('customer', [customerId])
  const linked = link ? await byId(link.theirId) : null
  if (linked && !isOfAnother(ownerOf(linked), customer)) return linked
  return email === null ? null : await byEmail(email)
}

/** A family may share an e-mail address: each would overwrite what the account says of the other. */
export function isOfAnother({ whose, firstName }: Owner, customer: CustomerRecord): boolean {
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName })
}

export function leftToAnother({ whose }: Owner): Effect {
  return {
    note: `the account with this e-mail address is another customer’s (${whose}), by another first name, and the shop keeps one for each address: nothing was sent`,
  }
}

/** `ofOthers`: accounts that were linked to the data subject, and are another customer's by now. */
export async function accountsToErase<Account extends { id: string | number }>(
  { theirIds, customerIds, emails }: ErasedCustomer,
  { byId, byEmail, ownerOf }: Accounts<Account>,
): Promise<{ own: Account[]; ofOthers: Account[] }> {
  const found = [...(await Promise.all(theirIds.map(byId))), ...(await Promise.all(emails.map(byEmail)))]
  const accounts = new Map(found.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  const isOther = (account: Account) => {
    const { whose, email } = ownerOf(account)
    return whose !== null && !customerIds.includes(whose) && !emails.includes(email?.toLowerCase() ?? '')
  }
  const { own = [], ofOthers = [] } = Object.groupBy(accounts.values(), (one) => (isOther(one) ? 'ofOthers' : 'own'))
  return { own, ofOthers }
}

export function savedCustomer(what: string, { customerId }: CustomerRecord, theirId: string): Effect {
  const note = `customer ${theirId} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId }] }
}
