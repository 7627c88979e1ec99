import { type CustomerRecord, mayBeOneName, UNKNOWN_CUSTOMER } from '../../domain/people/customer-record.ts'
import type { ForgottenCustomer } from '../../domain/people/erasing/notice.ts'
import type { Effect } from '../../ports/attempt.ts'

/** A shop's account: the platform's id of the customer that it was last written for, where the shop keeps that. */
interface Account {
  whose: string | null
  firstName: string | null
  email: string | null
}

/** A family may share an e-mail address: each of them would write over what the account says of the other. */
export function isOfAnother({ whose, firstName }: Account, customer: CustomerRecord): boolean {
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName })
}

export function leftToAnother({ whose }: Account): Effect {
  return {
    note: `the account with this e-mail address is another customer’s (${whose}), by another first name, and the shop keeps one for each address: nothing was sent`,
  }
}

/** True if it was linked to the person who is erased, and is another customer's by now. */
export function isOfOtherSubject({ whose, email }: Account, { customerIds, emails }: ForgottenCustomer): boolean {
  return whose !== null && !customerIds.includes(whose) && !emails.includes(email?.toLowerCase() ?? '')
}

export function savedCustomer(what: string, { customerId }: CustomerRecord, theirId: string): Effect {
  const note = `customer ${theirId} ${what}`
  return customerId === null ? { note } : { note, links: [{ kind: 'customer', id: customerId, theirId }] }
}
