import { readCustomerQuery } from '../../domain/people/customer-query.ts'
import { emailOf, type Identities } from '../../domain/people/erasing/person-nodes.ts'
import { codeOf, type SearchKey, searchTermsOf } from '../../domain/queue/search-keys.ts'

/** The person whom somebody means: an address, a number, or else an id of a customer. */
export function readAsked(texts: readonly string[], countries: readonly string[]): Identities {
  const asked: Identities = { customerIds: [], emails: [], phones: [] }
  for (const text of texts.map((one) => one.trim())) {
    const query = readCustomerQuery(text, countries)
    if (query?.type === 'email') asked.emails.push(emailOf(text))
    // Digits alone may be either.
    else asked.customerIds.push(text)
    if (query?.type === 'phone') asked.phones.push(...query.numbers.slice(0, 1), query.typed)
  }
  return asked
}

/** How the index has what a person is told by. */
export function searchKeysOfPerson({ customerIds, emails, phones }: Identities): SearchKey[] {
  return [
    ...customerIds.map((id) => ({ sort: 'id' as const, value: codeOf(id) })),
    ...emails.map((value) => ({ sort: 'email' as const, value })),
    ...phones.flatMap((phone) => searchTermsOf(phone, []).filter(({ sort }) => sort === 'phone')),
  ]
}
