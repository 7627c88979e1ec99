import { UNKNOWN_CUSTOMER } from '../customer-record.ts'
import { mayBeOneName } from '../same-person.ts'
import { type Needle, needlesOf } from './needles.ts'
import { type Identities, identitiesOf, type PersonalValue, type PersonNode } from './person-nodes.ts'

/** Somebody who shares something with the person, and may be somebody else. */
export interface NotFollowed {
  /** What both have, and what only the other has. */
  shared: string
  other: string
  why: string
}

/** A person, as far as the rows say who it is. */
export interface Person extends Identities {
  values: PersonalValue[]
  needles: Needle[]
  /** What nobody has who was not followed: by it the person is known also in rows that are not known to be theirs. */
  alone: Identities
  notFollowed: NotFollowed[]
  /** What was asked for is of several people: nobody can say which one is meant. */
  isAmbiguous: boolean
}

/** Joins what rows say of one person, node by node, from what was asked for. */
export function createJoining(asked: Identities) {
  const own: Identities = { customerIds: [...asked.customerIds], emails: [...asked.emails], phones: [...asked.phones] }
  const values: PersonalValue[] = []
  const others: PersonNode[] = []
  const notFollowed = new Map<string, NotFollowed>()
  // Digits alone may be a number or an id: until a row says which, they are no id that another one differs from.
  const isByPhone = asked.phones.length > 0 && asked.emails.length === 0
  const isToldId = (id: string) => !isByPhone || !asked.customerIds.includes(id)

  /** Whether the node is of the person, as far as is known by now; its identities are the person's then. */
  function join(node: PersonNode): boolean {
    const its = identitiesOf(node)
    const isSure = meets(its.customerIds, own.customerIds)
    const isLikely = meets(its.emails, own.emails)
    const shared = its.phones.find((phone) => own.phones.includes(phone))
    if (!isSure && !isLikely && shared === undefined) return false
    const why = isSure ? null : doubtOf(node, its, isLikely)
    if (why !== null) {
      others.push(node)
      const other = its.customerIds[0] ?? its.emails[0] ?? its.phones[0] ?? ''
      const what = isLikely ? (its.emails[0] ?? '') : (shared ?? '')
      notFollowed.set(other, { shared: what, other, why })
      return false
    }
    for (const key of ['customerIds', 'emails', 'phones'] as const) own[key] = [...new Set([...own[key], ...its[key]])]
    values.push(...node.values)
    return true
  }

  /** Null: it is the person. */
  function doubtOf(node: PersonNode, its: Identities, isLikely: boolean): string | null {
    if (!mayBeOneName(namesOf(node.values), namesOf(values))) return 'the first names differ'
    if (isLikely) return null
    if (its.emails.length > 0 && own.emails.length > 0) return 'the e-mail addresses differ'
    return its.customerIds.length > 0 && own.customerIds.some(isToldId) ? 'the customer ids differ' : null
  }

  return {
    own,
    join,
    person(): Person {
      const foreign = new Set(others.flatMap((node) => node.values.map(({ value }) => value)))
      const needles = needlesOf(unique([...values, ...askedValues(asked)])).map((needle) => ({
        ...needle,
        // What a family shares is taken out of the rows of the person alone.
        isSure: needle.isSure && !foreign.has(needle.text),
      }))
      const { customerIds, emails, phones } = own
      const theirs = others.map(identitiesOf)
      const alone = {
        customerIds: customerIds.filter((id) => !theirs.some((its) => its.customerIds.includes(id))),
        emails: emails.filter((email) => !theirs.some((its) => its.emails.includes(email))),
        phones: phones.filter((phone) => !theirs.some((its) => its.phones.includes(phone))),
      }
      const still = [...notFollowed.values()].filter(({ other }) => !isOwn(own, other))
      return {
        ...own,
        values: unique(values),
        needles,
        alone,
        notFollowed: still,
        isAmbiguous: isByPhone && still.length > 0,
      }
    },
  }
}

/** Whether something in a row of the person is of the person: of nobody else, that is, who can be told. */
export function isOfPerson(node: PersonNode, person: Identities): boolean {
  const its = identitiesOf(node)
  if (its.customerIds.length + its.emails.length + its.phones.length === 0) return true
  return meetsAny(its, person)
}

/** Whether they share anything by which people are told apart. */
export function meetsAny(one: Identities, other: Identities): boolean {
  return (['customerIds', 'emails', 'phones'] as const).some((key) => meets(one[key], other[key]))
}

function meets(one: readonly string[], other: readonly string[]): boolean {
  return one.some((value) => other.includes(value))
}

function isOwn(own: Identities, value: string): boolean {
  return [...own.customerIds, ...own.emails].includes(value)
}

function askedValues({ customerIds, emails, phones }: Identities): PersonalValue[] {
  return [
    ...customerIds.map((value) => ({ name: 'customerId', sort: 'customer' as const, value })),
    ...emails.map((value) => ({ name: 'email', sort: 'email' as const, value })),
    ...phones.map((value) => ({ name: 'phone', sort: 'phone' as const, value })),
  ]
}

function namesOf(values: readonly PersonalValue[]) {
  const of = (wanted: string) => values.find(({ name }) => name.toLowerCase() === wanted)?.value ?? null
  return { ...UNKNOWN_CUSTOMER, firstName: of('firstname') }
}

function unique(values: readonly PersonalValue[]): PersonalValue[] {
  return [...new Map(values.map((one) => [`${one.name}\0${one.value}`, one])).values()]
}
