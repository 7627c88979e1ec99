import { identitiesOf, type PersonNode } from './person-nodes.ts'

/** Nobody has so many addresses: an id with more is one that a till or an import uses for whomever it does not know. */
const MOST_ADDRESSES = 10

/** The ids of customers that many people have. Pure. */
export function sharedIds(nodes: Iterable<PersonNode>): Set<string> {
  const addresses = new Map<string, Set<string>>()
  for (const node of nodes) {
    const { customerIds, emails } = identitiesOf(node)
    for (const id of customerIds) {
      const its = addresses.get(id) ?? new Set()
      for (const email of emails) its.add(email)
      addresses.set(id, its)
    }
  }
  return new Set([...addresses].flatMap(([id, its]) => (its.size > MOST_ADDRESSES ? [id] : [])))
}
