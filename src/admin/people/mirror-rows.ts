import { type Identifiers, type PersonNode, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { field, idText, text } from '../../domain/values/field.ts'
import { placeOf } from '../../store/people/places.ts'
import { pagesSaying } from '../../store/people/search-rows.ts'
import type { Store } from '../../store/store.ts'

/** More rows are not one person's. */
const MAX_ROWS = 5_000

/** Whether a row of the mirror names the person by an id: the platform's says it for sure, that of an own system where there is no other. */
export function isOfCustomer(
  body: unknown,
  { customerIds, extIds }: Pick<Identifiers, 'customerIds' | 'extIds'>,
): boolean {
  const [id, extId] = [idText(body, 'customerId'), text(field(body, 'customer'), 'number')]
  return id === null ? extId !== null && extIds.includes(extId) : customerIds.includes(id)
}

/** The texts by which rows of the mirror are found that name one of these customers: an id alone may be short, and anything's. */
export function textsInMirror({ customerIds, extIds }: Pick<Identifiers, 'customerIds' | 'extIds'>): string[] {
  const named = (name: string) => (id: string) => `"${name}":${JSON.stringify(id)}`
  return [...customerIds.map(named('customerId')), ...extIds.map(named('number'))]
}

/** The persons of a row of the mirror, as the payload said them: the id with the name. */
export function nodesInMirror(body: Readonly<Record<string, unknown>>): PersonNode[] {
  const { customerId, ...rest } = body
  const [customer, customerExtId] = [body.customer ?? {}, field(body.customer, 'number')]
  return personNodesOf('', { ...rest, customer: { ...customer, customerId, customerExtId } })
}

/** The persons of rows of the mirror that say one of these identifiers. */
export async function nodesOfMirror(store: Pick<Store, 'personalPage'>, own: Identifiers): Promise<PersonNode[]> {
  const saying = [...textsInMirror(own), ...own.emails, ...own.phones]
  const at = placeOf('mirror').columns.indexOf('body')
  const nodes: PersonNode[] = []
  for await (const { rows } of pagesSaying(store, 'mirror', saying)) {
    for (const { values } of rows) nodes.push(...nodesInMirror(JSON.parse(String(values[at]))))
    if (nodes.length >= MAX_ROWS) break
  }
  return nodes
}
