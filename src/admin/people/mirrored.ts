import { type Identities, type PersonNode, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { field, text } from '../../domain/values/field.ts'
import { idText } from '../../domain/values/id.ts'
import { placeOf } from '../../store/people/places.ts'
import type { Store } from '../../store/store.ts'

/** More rows are not one person's. */
const MOST = 5_000

/** The ids of the customer whom a row of the mirror names, the platform's first: they stand beside the name, or without one. */
export function idsInMirror(body: unknown): string[] {
  return [idText(body, 'customerId'), text(field(body, 'customer'), 'number')].filter((id) => id !== null)
}

/** The texts by which rows of the mirror are found that name one of these customers: an id alone may be short, and anything's. */
export function textsInMirror({ customerIds }: Pick<Identities, 'customerIds'>): string[] {
  return customerIds.flatMap((id) => ['customerId', 'number'].map((name) => `"${name}":${JSON.stringify(id)}`))
}

/** The persons of a row of the mirror, as the payload said them: the id with the name. */
export function nodesInMirror(body: Readonly<Record<string, unknown>>): PersonNode[] {
  const { customerId, ...rest } = body
  const [customer, customerExtId] = [body.customer ?? {}, field(body.customer, 'number')]
  return personNodesOf('', { ...rest, customer: { ...customer, customerId, customerExtId } })
}

/** The persons of rows of the mirror that say one of these identities. */
export async function nodesOfMirror(store: Pick<Store, 'personalPage'>, own: Identities): Promise<PersonNode[]> {
  const saying = [...textsInMirror(own), ...own.emails, ...own.phones]
  const at = placeOf('mirror').columns.indexOf('body')
  const nodes: PersonNode[] = []
  for (let after: number | null = 0; after !== null && saying.length > 0 && nodes.length < MOST; ) {
    const { rows, next } = await store.personalPage({ place: 'mirror', saying, after })
    for (const { values } of rows) nodes.push(...nodesInMirror(JSON.parse(String(values[at]))))
    after = next
  }
  return nodes
}
