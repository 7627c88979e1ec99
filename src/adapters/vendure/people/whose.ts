import { type CustomerRecord, UNKNOWN_CUSTOMER } from '../../../domain/people/customer-record.ts'
import { mayBeOneName } from '../../../domain/people/same-person.ts'
import type { ShopCustomer } from '../operations.ts'
import type { Shop } from '../shop.ts'

/* Whose a customer of the shop is on the platform: Vendure has no field for it, so a note tells that only people in the shop read. */

const MARK = /\[tillbridge customer ([^\]\s]+)\]/

/** Those that the filter lets through, with their notes. */
export async function customersBy(
  { api, operations }: Shop,
  filter: object,
  signal: AbortSignal,
): Promise<ShopCustomer[]> {
  const history = { filter: { type: { eq: 'CUSTOMER_NOTE' } }, take: 100 }
  return (await api.run(operations.notedCustomers, { options: { filter, take: 1 }, history }, signal)).items
}

/** The platform's id that a note of the customer tells, and the note's. */
export function whoseIs({ history }: ShopCustomer): { noteId: string; customerId: string } | null {
  for (const { id, data } of history?.items ?? []) {
    const [, named] = MARK.exec(String(data.note)) ?? []
    if (named !== undefined) return { noteId: id, customerId: decodeURIComponent(named) }
  }
  return null
}

/** A family may share an e-mail address: each of them would write over what the shop's customer says of the other. */
export function isOfAnother(account: ShopCustomer, customer: CustomerRecord): boolean {
  const whose = whoseIs(account)?.customerId ?? null
  if (whose === null || customer.customerId === null || whose === customer.customerId) return false
  return !mayBeOneName(customer, { ...UNKNOWN_CUSTOMER, firstName: account.firstName ?? null })
}

/** Notes whose it is, where that is not noted yet. */
export async function noteWhose(
  { api, operations }: Shop,
  account: Pick<ShopCustomer, 'id' | 'history'>,
  customerId: string | null,
  signal: AbortSignal,
): Promise<void> {
  const before = whoseIs(account as ShopCustomer)
  if (customerId === null || before?.customerId === customerId) return
  const note = `Customer of the stores [tillbridge customer ${encodeURIComponent(customerId)}]`
  if (before) await api.run(operations.updateCustomerNote, { input: { noteId: before.noteId, note } }, signal)
  else await api.run(operations.addCustomerNote, { input: { id: account.id, note, isPublic: false } }, signal)
}
