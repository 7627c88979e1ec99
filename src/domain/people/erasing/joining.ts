import { PLATFORM } from '../../queue/event.ts'
import { UNKNOWN_CUSTOMER } from '../customer-record.ts'
import { mayBeOneName } from '../same-person.ts'
import type { Learnt } from './begun.ts'
import { addTo, sizeOf } from './identities.ts'
import { needlesOf } from './needles.ts'
import type { NotFollowed, Person } from './person.ts'
import { firstNamesOf, type Identities, identitiesOf, type PersonalValue, type PersonNode } from './person-nodes.ts'
import { plainName } from './personal-names.ts'
import { isOfSeveral } from './several.ts'

/** The identities of a node, and those by which it meets the person: an id, an address, a number. */
interface Meeting {
  its: Identities
  id: string | undefined
  email: string | undefined
  phone: string | undefined
}

/**
 * Joins what rows say of one person, node by node, from what was asked for. `shared`: ids that say nothing, since many have them.
 * `learnt`: what was known before.
 */
export function createJoining(
  asked: Identities,
  shared: ReadonlySet<string> = new Set(),
  learnt: Pick<Learnt, keyof Identities | 'values'> | null = null,
) {
  const own: Identities = {
    customerIds: asked.customerIds.filter((id) => !shared.has(id)),
    emails: [...asked.emails],
    phones: [...asked.phones],
  }
  if (learnt) addTo(own, learnt)
  const values: PersonalValue[] = [...(learnt?.values ?? [])]
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
      const other = othersOwn(node, its)
      notFollowed.set(other, { shared: id ?? email ?? phone ?? '', other, why })
      return false
    }
    others.delete(node)
    addTo(own, its)
    values.push(...node.values)
    return true
  }

  function meetingOf(node: PersonNode): Meeting {
    const all = identitiesOf(node)
    const its = { ...all, customerIds: all.customerIds.filter((id) => !shared.has(id)) }
    return {
      its,
      id: its.customerIds.find((one) => own.customerIds.some((id) => isSameId(id, one))),
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
    const hasOtherId = its.customerIds.length > 0 && own.customerIds.some(isToldId)
    // Whoever asks by an address is whoever it is of, but for a customer of their own: guests type all sorts of names.
    if (email !== undefined && !hasOtherId && asked.emails.includes(email)) return null
    if (!isOneName) return 'the first names differ'
    if (email !== undefined) return null
    if (its.emails.length > 0 && own.emails.length > 0) return 'the e-mail addresses differ'
    return hasOtherId ? 'the customer ids differ' : null
  }

  /** The surest thing that somebody else has and the person has not; a name at least. */
  function othersOwn(node: PersonNode, its: Identities): string {
    const lacks = (key: keyof Identities) => its[key].filter((value) => !own[key].includes(value))
    // The last form of a number has the prefix of its country, and looks like no id.
    const [found = ''] = [
      ...lacks('customerIds'),
      ...lacks('emails'),
      ...lacks('phones').slice(-1),
      ...firstNamesOf(node),
    ]
    return found
  }

  function isOfAnother(node: PersonNode): boolean {
    if (sizeOf(identitiesOf(node)) === 0) return false
    const meeting = meetingOf(node)
    return !isMet(meeting) || doubtOf(node, meeting) !== null
  }

  function isLinked(destination: string, id: string): boolean {
    if (!own.customerIds.includes(id)) return false
    const called = values.filter((one) => one.sort === 'customer' && isSameId(one.value, id))
    return called.length === 0 || called.some((one) => isPlatformId(one) !== (destination === PLATFORM))
  }

  return {
    own,
    join,
    isOfAnother,
    /** How many first names the person has. */
    firstNames: () => new Set(firstNamesOf({ values }).map((name) => name.toLowerCase())).size,
    person(): Person {
      const foreign = new Set([...others].flatMap((node) => needlesOf(node.values).map(({ text }) => text)))
      const needles = needlesOf(unique([...values, ...askedValues(asked)])).map((needle) => ({
        ...needle,
        // Texts that a family shares are taken out of the rows of the person alone.
        isSure: needle.isSure && !foreign.has(needle.text),
      }))
      const { customerIds, emails, phones } = own
      const theirs = [...others].map(identitiesOf)
      const alone = {
        customerIds: customerIds.filter((id) => !theirs.some((its) => its.customerIds.includes(id))),
        emails: emails.filter((email) => !theirs.some((its) => its.emails.includes(email))),
        phones: phones.filter((phone) => !theirs.some((its) => its.phones.includes(phone))),
      }
      const othersIds = platformIdsOf([...others].flatMap((node) => node.values))
      const still = [...notFollowed.values()].filter(({ other }) => !isOwn(own, other))
      return {
        ...own,
        values: unique(values),
        needles,
        alone,
        platformIds: platformIdsOf(values).filter((id) => !shared.has(id) && !othersIds.includes(id)),
        notFollowed: still,
        isAmbiguous: isOfSeveral(asked, identitiesOf({ values }), theirs, shared),
        isOfAnother,
        isLinked,
      }
    },
  }
}

function platformIdsOf(values: readonly PersonalValue[]): string[] {
  return [...new Set(values.filter(isPlatformId).map(({ value }) => value))]
}

function isPlatformId({ name }: PersonalValue): boolean {
  return plainName(name) === 'customerid'
}

/** Systems write a GUID in small letters or in capitals. */
function isSameId(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase()
}

function isMet({ id, email, phone }: Meeting): boolean {
  return id !== undefined || email !== undefined || phone !== undefined
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

function namesOf(values: PersonalValue[]) {
  return { ...UNKNOWN_CUSTOMER, firstName: firstNamesOf({ values })[0] ?? null }
}

function unique(values: readonly PersonalValue[]): PersonalValue[] {
  return [...new Map(values.map((one) => [`${one.name}\0${one.value}`, one])).values()]
}
