import { readCustomerQuery } from '../../domain/people/customer-query.ts'
import { emailOf, type Identifiers, noIdentifiers } from '../../domain/people/erasing/person-nodes.ts'
import type { Person } from '../../domain/people/erasing/resolution.ts'
import { codeOf, type SearchKey, searchTermsOf } from '../../domain/queue/search-keys.ts'

/** The identifiers that an operator typed: an e-mail address, a phone number, or else an id of a customer. */
export function readAsked(texts: readonly string[], countries: readonly string[]): Identifiers {
  const asked = noIdentifiers()
  for (const text of texts.map((one) => one.trim())) {
    const query = readCustomerQuery(text, countries)
    if (query?.type === 'email') asked.emails.push(emailOf(text))
    // Digits alone may be either. Whose ids these are, rows tell (resolution.ts).
    else asked.customerIds.push(text)
    if (query?.type === 'phone') asked.phones.push(...query.numbers.slice(0, 1), query.typed)
  }
  return asked
}

/** The keys of the search index under which identifiers are found. */
export function searchKeysOfPerson({ customerIds, extIds, emails, phones }: Identifiers): SearchKey[] {
  return [
    ...[...new Set([...customerIds, ...extIds].map(codeOf))].map((value) => ({ sort: 'id' as const, value })),
    ...addressKeys({ emails, phones }),
  ]
}

/**
 * The keys of a proof, to be hashed: events are found by those of the search index; by the others, which say whose id it is, the person is
 * known again. What others have as well is none of them.
 */
export function keysOfErasure({ alone }: Pick<Person, 'alone'>): SearchKey[] {
  return [...searchKeysOfPerson(alone), ...typedIdKeys(alone)]
}

/** The keys of a proof by which identifiers are known again. */
export function keysOfIdentifiers(its: Identifiers): SearchKey[] {
  return [...typedIdKeys(its), ...addressKeys(its)]
}

function addressKeys({ emails, phones }: Pick<Identifiers, 'emails' | 'phones'>): SearchKey[] {
  return [
    ...emails.map((value) => ({ sort: 'email' as const, value })),
    ...phones.flatMap((phone) => searchTermsOf(phone, []).filter(({ sort }) => sort === 'phone')),
  ]
}

function typedIdKeys({ customerIds, extIds }: Pick<Identifiers, 'customerIds' | 'extIds'>): SearchKey[] {
  return [
    ...customerIds.map((id) => ({ sort: 'id' as const, value: `customer ${codeOf(id)}` })),
    ...extIds.map((id) => ({ sort: 'id' as const, value: `external ${codeOf(id)}` })),
  ]
}
