import { readCustomerQuery } from '../domain/customers/customer-query.ts'
import {
  emailOf,
  type Identifiers,
  noIdentifiers,
  type PersonNode,
  personNodesOf,
} from '../domain/privacy/person-nodes.ts'
import type { Person } from '../domain/privacy/resolution.ts'
import { codeOf, type SearchKey, searchTermsOf } from '../domain/queue/search-keys.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { locationOf, pagesSaying } from '../storage/personal-places.ts'
import type { Storage } from '../storage/storage.ts'

/** E-mail address, phone number, or else a customer id. */
export function readAsked(texts: readonly string[], countries: readonly string[]): Identifiers {
  const asked = noIdentifiers()
  for (const text of texts.map((one) => one.trim())) {
    const query = readCustomerQuery(text, countries)
    if (query?.type === 'email') asked.emails.push(emailOf(text))
    // Digits may be a phone number or an id.
    else asked.customerIds.push(text)
    if (query?.type === 'phone') asked.phones.push(...query.numbers.slice(0, 1), query.typed)
  }
  return asked
}

export function searchKeysOfPerson(its: Identifiers): SearchKey[] {
  const ids = new Set([...its.customerIds, ...its.extIds].map(codeOf))
  return [...[...ids].map((value) => ({ sort: 'id' as const, value })), ...addressKeys(its)]
}

/** Keys of a proof, to be hashed: search keys, and typed ids. Shared identifiers are left out. */
export function keysOfErasure({ alone }: Pick<Person, 'alone'>): SearchKey[] {
  return [...searchKeysOfPerson(alone), ...typedIdKeys(alone)]
}

export function keysOfIdentifiers(its: Identifiers): SearchKey[] {
  return [...typedIdKeys(its), ...addressKeys(its)]
}

function addressKeys({ emails, phones }: Identifiers): SearchKey[] {
  return [
    ...emails.map((value) => ({ sort: 'email' as const, value })),
    ...phones.flatMap((phone) => searchTermsOf(phone, []).filter(({ sort }) => sort === 'phone')),
  ]
}

function typedIdKeys({ customerIds, extIds }: Identifiers): SearchKey[] {
  return [
    ...customerIds.map((id) => ({ sort: 'id' as const, value: `customer ${codeOf(id)}` })),
    ...extIds.map((id) => ({ sort: 'id' as const, value: `external ${codeOf(id)}` })),
  ]
}

/** More rows are not one person's. */
const MAX_ROWS = 5_000

type Ids = Pick<Identifiers, 'customerIds' | 'extIds'>

/** True if the row names the person by platform id, or without one by extId. */
export function isOfCustomer(body: unknown, { customerIds, extIds }: Ids): boolean {
  const [id, extId] = [idText(body, 'customerId'), text(field(body, 'customer'), 'number')]
  return id === null ? extId !== null && extIds.includes(extId) : customerIds.includes(id)
}

/** With the field name: an id alone may be short. */
export function textsInMirror({ customerIds, extIds }: Ids): string[] {
  const named = (name: string) => (id: string) => `"${name}":${JSON.stringify(id)}`
  return [...customerIds.map(named('customerId')), ...extIds.map(named('number'))]
}

export function nodesInMirror(body: Readonly<Record<string, unknown>>): PersonNode[] {
  const { customerId, ...rest } = body
  const [customer, customerExtId] = [body.customer ?? {}, field(body.customer, 'number')]
  return personNodesOf('', { ...rest, customer: { ...customer, customerId, customerExtId } })
}

export async function nodesOfMirror(storage: Pick<Storage, 'personalPage'>, own: Identifiers): Promise<PersonNode[]> {
  const saying = [...textsInMirror(own), ...own.emails, ...own.phones]
  const at = locationOf('mirror').columns.indexOf('body')
  const nodes: PersonNode[] = []
  for await (const { rows } of pagesSaying(storage, 'mirror', saying)) {
    for (const { values } of rows) nodes.push(...nodesInMirror(JSON.parse(String(values[at]))))
    if (nodes.length >= MAX_ROWS) break
  }
  return nodes
}
