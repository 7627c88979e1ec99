import type { Identities } from './person-nodes.ts'

/** Whether they share anything by which people are told apart. */
export function meetsAny(one: Identities, other: Identities): boolean {
  return (['customerIds', 'emails', 'phones'] as const).some((key) =>
    one[key].some((value) => other[key].includes(value)),
  )
}

/** By how much somebody can be told; 0: by nothing. */
export function sizeOf({ customerIds, emails, phones }: Identities): number {
  return customerIds.length + emails.length + phones.length
}
