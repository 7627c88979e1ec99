import type { Identities } from '../../domain/people/erasing/person-nodes.ts'
import { field, text } from '../../domain/values/field.ts'

/** The ids of the customer whom a row of the mirror names, the platform's first: they stand beside the name, or without one. */
export function idsInMirror(body: unknown): string[] {
  return [text(body, 'customerId'), text(field(body, 'customer'), 'number')].filter((id) => id !== null)
}

/** The texts by which rows of the mirror are found that name one of these customers: an id alone may be short, and anything's. */
export function textsInMirror({ customerIds }: Pick<Identities, 'customerIds'>): string[] {
  return customerIds.flatMap((id) => ['customerId', 'number'].map((name) => `"${name}":${JSON.stringify(id)}`))
}
