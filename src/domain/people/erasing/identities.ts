import type { Identities } from './person-nodes.ts'

const NAMES = ['customerIds', 'emails', 'phones'] as const

/** Whether they share anything by which people are told apart. */
export function meetsAny(one: Identities, other: Identities): boolean {
  return NAMES.some((name) => one[name].some((value) => other[name].includes(value)))
}

/** By how much somebody can be told; 0: by nothing. */
export function sizeOf({ customerIds, emails, phones }: Identities): number {
  return customerIds.length + emails.length + phones.length
}

/** Adds what somebody is told by as well. */
export function addTo(known: Identities, more: Identities): void {
  for (const name of NAMES) known[name] = [...new Set([...known[name], ...more[name]])]
}

/** Each value alone: a person who shares one of several is somebody else. */
export function singly(its: Identities): Identities[] {
  return NAMES.flatMap((name) =>
    its[name].map((value) => ({ customerIds: [], emails: [], phones: [], [name]: [value] })),
  )
}
