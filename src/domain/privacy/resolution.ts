import { PLATFORM } from '../queue/event.ts'
import { splitPhone } from '../values/phone.ts'
import type { ErasureSnapshot } from './notice.ts'
import {
  addTo,
  commonOf,
  countOf,
  type Identifiers,
  identifiersOf,
  meetsAny,
  noIdentifiers,
  type PersonalValue,
  type PersonNode,
  without,
} from './person-nodes.ts'
import { plainName } from './personal-fields.ts'

export interface NotFollowed {
  shared: string
  other: string
  why: string
}

export interface Person extends Identifiers {
  values: PersonalValue[]
  /** Identifiers of no other data subject: by these rows of others are searched. */
  alone: Identifiers
  shared: string[]
  notFollowed: NotFollowed[]
  isAmbiguous: boolean
  isOfAnother(node: PersonNode): boolean
  /** True if the destination's customer is the person. The platform links external ids, all others the platform's. */
  isLinked(destination: string, id: string): boolean
}

/** An id with more addresses is used for every unknown customer. */
const MAX_ADDRESSES_OF_ID = 10
const SEVERAL = 'several customers have it, and nothing else says whose this is'

export function resolvePerson(
  asked: Identifiers,
  nodes: readonly PersonNode[],
  snapshot: ErasureSnapshot | null = null,
): Person {
  const all = nodes.map((node) => ({ node, its: identifiersOf(node) }))
  const sharedIds = new Set([...(snapshot?.shared ?? []), ...idsOfMany(all.map(({ its }) => its))])
  const shared = noIdentifiers()
  for (;;) {
    const own = followed(seedOf(), all, shared)
    const others = all.filter(
      ({ its }) => isAnother(its, own) && meetsAny(its, { ...own, customerIds: asked.customerIds }),
    )
    const sharedBefore = countOf(shared)
    for (const { its } of others)
      for (const name of ['emails', 'phones'] as const) {
        const common = own[name].filter((value) => commonOf([value], its[name]) !== undefined)
        shared[name] = [...new Set([...shared[name], ...common])]
      }
    if (countOf(shared) === sharedBefore) return personOf(own, others)
  }

  /** A typed id is the platform's if a row has it so, else external. */
  function seedOf(): Identifiers {
    const own = { ...noIdentifiers(), extIds: [...asked.extIds], emails: [...asked.emails], phones: [...asked.phones] }
    for (const id of asked.customerIds) {
      if (isSaid('customerIds', id)) own.customerIds.push(...(sharedIds.has(id) ? [] : [id]))
      else if (isSaid('extIds', id)) own.extIds.push(id)
    }
    // An address that one customer has identifies them.
    for (const email of asked.emails) {
      const those = all.flatMap(({ its }) => (its.emails.includes(email) ? its.customerIds : []))
      const ids = [...new Set(those)].filter((id) => !sharedIds.has(id))
      const isOther = (id: string) => areOtherIds([id], [...new Set(ids).difference(new Set([id]))])
      if (!ids.some(isOther)) own.customerIds.push(...ids)
    }
    if (snapshot) addTo(own, snapshot)
    return own
  }

  function isSaid(name: 'customerIds' | 'extIds', id: string): boolean {
    return all.some(({ its }) => commonOf([id], its[name]) !== undefined)
  }

  function isAnother(its: Identifiers, own: Identifiers): boolean {
    return countOf(its) > 0 && doubtOf(its, own, shared, sharedIds) !== null
  }

  function followed(own: Identifiers, those: typeof all, separate: Identifiers): Identifiers {
    for (let before = -1; before !== countOf(own); ) {
      before = countOf(own)
      for (const { its } of those)
        if (countOf(its) > 0 && doubtOf(its, own, separate, sharedIds) === null)
          addTo(own, { ...its, customerIds: its.customerIds.filter((id) => !sharedIds.has(id)) })
    }
    return own
  }

  function personOf(own: Identifiers, others: typeof all): Person {
    const theirs = others.map(({ its }) => its)
    const ofPerson = all.filter(({ its }) => countOf(its) > 0 && !isAnother(its, own)).map(({ node }) => node)
    const values = unique([...(snapshot?.values ?? []), ...ofPerson.flatMap((node) => node.values)])
    const unsaid = asked.customerIds.filter((id) => !isSaid('customerIds', id) && !isSaid('extIds', id))
    const person = structuredClone(own)
    addTo(person, { ...noIdentifiers(), customerIds: unsaid, extIds: unsaid })
    const alone = without(person, [...theirs, shared])
    return {
      ...person,
      values,
      alone: snapshot ? withoutShared(alone, snapshot) : alone,
      shared: [...sharedIds],
      notFollowed: notFollowed(others, own),
      isAmbiguous: isOfSeveral(identifiersOf({ values }), theirs),
      isOfAnother: (node) => isAnother(identifiersOf(node), own),
      isLinked: (destination, id) =>
        commonOf([id], destination === PLATFORM ? person.extIds : person.customerIds) !== undefined,
    }
  }

  function notFollowed(others: typeof all, own: Identifiers): NotFollowed[] {
    const named = others.flatMap(({ its }) => {
      const common = commonOf(its.emails, own.emails) ?? commonOf(its.phones, own.phones)
      const more = without(its, [own])
      const [other = ''] = [...more.customerIds, ...more.extIds, ...more.emails, ...more.phones.slice(-1)]
      const why = doubtOf(its, own, shared, sharedIds)
      return common === undefined || why === null ? [] : [{ shared: common, other, why }]
    })
    return [...new Map(named.map((one) => [one.other || one.shared, one])).values()]
  }

  /** Nothing asked for is the person's alone, and something is others' (`said`: by rows). */
  function isOfSeveral(said: Identifiers, theirs: readonly Identifiers[]): boolean {
    const isTheirId = (id: string) =>
      sharedIds.has(id) || theirs.some(({ customerIds }) => commonOf([id], customerIds) !== undefined)
    const isTheirEmail = (email: string) => theirs.some(({ emails }) => emails.includes(email))
    const numbers = theirs.flatMap(({ phones }) => phones).filter((phone) => asked.phones.includes(phone))
    const saidIds = [...said.customerIds, ...said.extIds]
    const isAlone =
      asked.emails.some((email) => said.emails.includes(email) && !isTheirEmail(email)) ||
      // Digits may be an id, and another customer's number as well.
      asked.customerIds.some(
        (id) => commonOf([id], saidIds) !== undefined && !isTheirId(id) && !numbers.some((phone) => phone.endsWith(id)),
      )
    return !isAlone && (numbers.length > 0 || asked.customerIds.some(isTheirId) || asked.emails.some(isTheirEmail))
  }
}

function doubtOf(
  its: Identifiers,
  own: Identifiers,
  shared: Identifiers,
  sharedIds: ReadonlySet<string>,
): string | null {
  const ids = its.customerIds.filter((id) => !sharedIds.has(id))
  if (commonOf(ids, own.customerIds) ?? commonOf(its.extIds, own.extIds)) return null
  const [email, phone] = [commonOf(its.emails, own.emails), commonOf(its.phones, own.phones)]
  if (email === undefined && phone === undefined) return 'nothing is shared'
  if (areOtherIds(ids, own.customerIds)) return 'the customer ids differ'
  if (email !== undefined && !shared.emails.includes(email)) return null
  if (phone === undefined) return SEVERAL
  if (email === undefined && its.emails.length > 0 && own.emails.length > 0) return 'the e-mail addresses differ'
  return shared.phones.includes(phone) ? SEVERAL : null
}

/** Customers have a number and a GUID: one of each says nothing of the other. */
function areOtherIds(one: readonly string[], other: readonly string[]): boolean {
  const sortOf = (id: string) => (/^\d+$/.test(id) ? 'number' : 'text')
  return one.some((id) => other.some((known) => sortOf(known) === sortOf(id)))
}

function idsOfMany(all: readonly Identifiers[]): string[] {
  const addresses = new Map<string, Set<string>>()
  for (const { customerIds, emails } of all)
    for (const id of customerIds) addresses.set(id, new Set([...(addresses.get(id) ?? []), ...emails]))
  return [...addresses].flatMap(([id, its]) => (its.size > MAX_ADDRESSES_OF_ID ? [id] : []))
}

/** Nothing becomes exclusive afterwards: the rows that show otherwise may be gone. */
function withoutShared(alone: Identifiers, snapshot: ErasureSnapshot): Identifiers {
  const notAlone = without(snapshot, [snapshot.alone])
  return without(alone, [notAlone])
}

const SHORTEST_PHONE = 7
const SHORTEST_ID = 8

export function keyTextsOf({ alone, values }: Pick<Person, 'alone' | 'values'>): string[] {
  const isAlone = (one: PersonalValue) => meetsAny(identifiersOf({ values: [one] }), alone)
  const written = values.filter(isAlone).map(({ value }) => value)
  const phones = alone.phones.flatMap((phone) => [phone, splitPhone(phone).number ?? ''])
  const ids = [...alone.customerIds, ...alone.extIds]
  const isLong = (text: string) =>
    text.includes('@') ||
    text.length >= (alone.phones.some((phone) => phone.includes(text)) ? SHORTEST_PHONE : SHORTEST_ID)
  const emails = alone.emails.flatMap((email) => [email, encodeURIComponent(email)])
  const all = [...emails, ...phones, ...ids, ...written].filter((text) => text !== '' && isLong(text))
  return [...new Set(all.map((text) => text.toLowerCase()))]
}

export function platformIdsOf({ values, alone }: Pick<Person, 'alone' | 'values'>): string[] {
  const named = values.filter(({ name }) => plainName(name) === 'customerid').map(({ value }) => value)
  return [...new Set(named)].filter((id) => commonOf([id], alone.customerIds) !== undefined)
}

function unique(values: readonly PersonalValue[]): PersonalValue[] {
  return [...new Map(values.map((one) => [`${one.name}\0${one.value}`, one])).values()]
}
