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
  isOfAnother: IsOfAnother
}

/**
 * Whether something in a row is of somebody else who can be told: who shares nothing with the person, or does and is another all the
 * same. What nobody can be told by is, in a row of the person, the person's.
 */
export type IsOfAnother = (node: PersonNode) => boolean

/** What a node says who it is, and by what it meets the person: an id, an address, a number. */
interface Meeting {
  its: Identities
  id: string | undefined
  email: string | undefined
  phone: string | undefined
}

/** Joins what rows say of one person, node by node, from what was asked for. `shared`: ids that say nothing, since many have them. */
export function createJoining(asked: Identities, shared: ReadonlySet<string> = new Set()) {
  const own: Identities = {
    customerIds: asked.customerIds.filter((id) => !shared.has(id)),
    emails: [...asked.emails],
    phones: [...asked.phones],
  }
  const values: PersonalValue[] = []
  const others = new Set<PersonNode>()
  const notFollowed = new Map<string, NotFollowed>()
  // Digits alone may be a number or an id: until a row says which, they are no id that another one differs from.
  const isByPhone = asked.phones.length > 0 && asked.emails.length === 0
  const isToldId = (id: string) => !isByPhone || !asked.customerIds.includes(id)

  /** Whether the node is of the person, as far as is known by now; its identities are the person's then. */
  function join(node: PersonNode): boolean {
    const meeting = meetingOf(node)
    const { its, id, email, phone } = meeting
    if (!isMet(meeting)) {
      // An id that many have is that of this node as well, which is of somebody else.
      if (its.customerIds.length < identitiesOf(node).customerIds.length) others.add(node)
      return false
    }
    const why = doubtOf(node, meeting)
    if (why !== null) {
      others.add(node)
      const other = (id === undefined ? its.customerIds[0] : its.emails[0]) ?? its.emails[0] ?? its.phones[0] ?? ''
      notFollowed.set(other, { shared: id ?? email ?? phone ?? '', other, why })
      return false
    }
    others.delete(node)
    for (const key of ['customerIds', 'emails', 'phones'] as const) own[key] = [...new Set([...own[key], ...its[key]])]
    values.push(...node.values)
    return true
  }

  function meetingOf(node: PersonNode): Meeting {
    const all = identitiesOf(node)
    const its = { ...all, customerIds: all.customerIds.filter((id) => !shared.has(id)) }
    return {
      its,
      id: its.customerIds.find((one) => own.customerIds.includes(one)),
      email: its.emails.find((one) => own.emails.includes(one)),
      phone: its.phones.find((one) => own.phones.includes(one)),
    }
  }

  /** Null: it is the person. */
  function doubtOf(node: PersonNode, { its, id, email, phone }: Meeting): string | null {
    const isOneName = mayBeOneName(namesOf(node.values), namesOf(values))
    if (id !== undefined) {
      // People change their name or their address; both at once, and the number, is rather an id that several have.
      const isElsewhere = email === undefined && phone === undefined && its.emails.length > 0 && own.emails.length > 0
      return isElsewhere && !isOneName ? 'the first names and the e-mail addresses differ' : null
    }
    if (!isOneName) return 'the first names differ'
    if (email !== undefined) return null
    if (its.emails.length > 0 && own.emails.length > 0) return 'the e-mail addresses differ'
    return its.customerIds.length > 0 && own.customerIds.some(isToldId) ? 'the customer ids differ' : null
  }

  function isOfAnother(node: PersonNode): boolean {
    if (isNobody(identitiesOf(node))) return false
    const meeting = meetingOf(node)
    return !isMet(meeting) || doubtOf(node, meeting) !== null
  }

  /** What was asked for is not one person's alone, and is no address either. */
  function isOfSeveral(): boolean {
    if (asked.emails.length > 0) return false
    const theirs = [...others].map(identitiesOf)
    const isTheirs = (id: string) => shared.has(id) || theirs.some((its) => its.customerIds.includes(id))
    const numbers = theirs.flatMap((its) => its.phones).filter((phone) => asked.phones.includes(phone))
    const isSaid = (id: string) => values.some(({ sort, value }) => sort === 'customer' && value === id)
    // An id that is somebody's alone says who is meant; digits may be the number of somebody else as well.
    const isAlone = (id: string) => isSaid(id) && !isTheirs(id) && !numbers.some((phone) => phone.endsWith(id))
    return !asked.customerIds.some(isAlone) && (numbers.length > 0 || asked.customerIds.some(isTheirs))
  }

  return {
    own,
    join,
    isOfAnother,
    /** How many first names the person has. */
    firstNames: () => new Set(values.filter(isFirstName).map(({ value }) => value.toLowerCase())).size,
    person(): Person {
      const foreign = new Set([...others].flatMap((node) => node.values.map(({ value }) => value)))
      const needles = needlesOf(unique([...values, ...askedValues(asked)])).map((needle) => ({
        ...needle,
        // What a family shares is taken out of the rows of the person alone.
        isSure: needle.isSure && !foreign.has(needle.text),
      }))
      const { customerIds, emails, phones } = own
      const theirs = [...others].map(identitiesOf)
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
        isAmbiguous: isOfSeveral(),
        isOfAnother,
      }
    },
  }
}

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

/** Whether they share anything by which people are told apart. */
export function meetsAny(one: Identities, other: Identities): boolean {
  return (['customerIds', 'emails', 'phones'] as const).some((key) => meets(one[key], other[key]))
}

function meets(one: readonly string[], other: readonly string[]): boolean {
  return one.some((value) => other.includes(value))
}

function isMet({ id, email, phone }: Meeting): boolean {
  return id !== undefined || email !== undefined || phone !== undefined
}

function isNobody({ customerIds, emails, phones }: Identities): boolean {
  return customerIds.length + emails.length + phones.length === 0
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
  return { ...UNKNOWN_CUSTOMER, firstName: values.find(isFirstName)?.value ?? null }
}

function isFirstName({ name }: PersonalValue): boolean {
  return name.toLowerCase() === 'firstname'
}

function unique(values: readonly PersonalValue[]): PersonalValue[] {
  return [...new Map(values.map((one) => [`${one.name}\0${one.value}`, one])).values()]
}
