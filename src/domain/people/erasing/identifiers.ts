import { phoneOf } from '../phone.ts'
import type { PersonNode } from './person-nodes.ts'
import { idSortOf, type PersonalSort } from './personal-fields.ts'

/** The keys by which a data subject is known, each in the one form in which it is compared. */
export interface Identifiers {
  /** Ids of the platform. */
  customerIds: string[]
  /** Ids of own systems: one of them may be another customer's id on the platform. */
  extIds: string[]
  /** In small letters. */
  emails: string[]
  /** As they were written, without what keeps groups apart, and in E.164 where the country is known. */
  phones: string[]
}

const NAMES = ['customerIds', 'extIds', 'emails', 'phones'] as const

export function noIdentifiers(): Identifiers {
  return { customerIds: [], extIds: [], emails: [], phones: [] }
}

/** The identifiers in one person's part of a payload. Pure. */
export function identifiersOf({ values }: PersonNode): Identifiers {
  const of = (sort: PersonalSort) => values.filter((one) => one.sort === sort)
  const ids = (whose: 'platform' | 'external') =>
    unique(of('customer').flatMap(({ name, value }) => (idSortOf(name) === whose ? [value] : [])))
  return {
    customerIds: ids('platform'),
    extIds: ids('external'),
    emails: unique(of('email').map(({ value }) => emailOf(value))),
    phones: unique(of('phone').map(({ value }) => phoneOf(null, value) ?? '')),
  }
}

/** An e-mail address as it is compared. */
export function emailOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

/** A value that both lists have, whatever letters a GUID is written in. */
export function commonOf(one: readonly string[], other: readonly string[]): string | undefined {
  const known = other.map((value) => value.toLowerCase())
  return one.find((value) => known.includes(value.toLowerCase()))
}

export function meetsAny(one: Identifiers, other: Identifiers): boolean {
  return NAMES.some((name) => commonOf(one[name], other[name]) !== undefined)
}

export function countOf(its: Identifiers): number {
  return NAMES.reduce((sum, name) => sum + its[name].length, 0)
}

/** Adds identifiers to those that are known. */
export function addTo(known: Identifiers, more: Identifiers): void {
  for (const name of NAMES) known[name] = unique([...known[name], ...more[name]])
}

/** The identifiers that none of the others have. */
export function without(its: Identifiers, others: readonly Identifiers[]): Identifiers {
  const left = noIdentifiers()
  for (const name of NAMES)
    left[name] = its[name].filter((value) => !others.some((one) => commonOf([value], one[name]) !== undefined))
  return left
}

/** Each identifier alone: of several in one place, one may be somebody else's as well. */
export function singly(its: Identifiers): Identifiers[] {
  return NAMES.flatMap((name) => its[name].map((value) => ({ ...noIdentifiers(), [name]: [value] })))
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ''))]
}
