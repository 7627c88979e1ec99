import type { CustomerRecord } from '../domain/customers/customer-record.ts'
import { BEGUN_MARK, type Learnt, readBegun, withoutSealed } from '../domain/privacy/notice.ts'
import {
  addTo,
  countOf,
  type Identifiers,
  identifiersOf,
  meetsAny,
  noIdentifiers,
  type PersonNode,
  personNodesOf,
} from '../domain/privacy/person-nodes.ts'
import { isPersonsKind, type PersonalSort } from '../domain/privacy/personal-fields.ts'
import { keyTextsOf, type Person, resolvePerson } from '../domain/privacy/resolution.ts'
import { isPseudonymous, tokenIn } from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { partsOf } from '../lib/collections.ts'
import type { Found } from '../storage/arrival.ts'
import { BrokenBlockError } from '../storage/payloads/block.ts'
import { locationOf, type PersonalRow, type PlaceValue, pagesSaying } from '../storage/personal-places.ts'
import type { EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { nodesOfMirror, searchKeysOfPerson } from './identifiers.ts'

export interface Known {
  person: Person
  events: EventRow[]
  /** Events shared with another data subject who has an identifier in common. */
  besideOthers: number[]
  asked: Identifiers
  /** Tokens of unfinished erasures, newest last. */
  begun: readonly string[]
  /** There are events that no unfinished erasure knew. */
  isBack: boolean
}

const MAX_EVENTS = 5_000

const PAGE = 100

/** More addresses come from a collective address or id. */
const MAX_ADDRESSES = 20

export type Looked = Pick<Storage, 'find' | 'bodies' | 'findCustomers' | 'personalPage' | 'events'>

interface Looking {
  /** Of an unfinished erasure. */
  learnt?: Learnt | null
  /** Searches all payloads (minutes): the index has none over 2 MB. */
  everywhere?: boolean
}

/** Identity resolution: each new identifier is searched in turn. Throws a UserError if it leads to more addresses than one person has. */
async function lookForPerson(
  storage: Looked,
  askedNow: Identifiers,
  { learnt = null, everywhere = false }: Looking = {},
): Promise<Known> {
  const asked = structuredClone(askedNow)
  if (learnt) addTo(asked, learnt.asked)
  const events = new Map<number, { row: EventRow; nodes: PersonNode[] }>()
  const byKey: { row: EventRow; key: SearchKey }[] = []
  const records: PersonNode[] = []
  const looked = new Set<string>()
  let person = resolve()
  let isMirrorRead = false
  let readBy = 0
  for (;;) {
    const sought = structuredClone(asked)
    addTo(sought, person)
    const keys = searchKeysOfPerson(sought).filter(({ sort, value }) => !looked.has(`${sort} ${value}`))
    for (const { sort, value } of keys) looked.add(`${sort} ${value}`)
    if (keys.length > 0) {
      await readEvents(await storage.find(keys, MAX_EVENTS))
      records.push(...(await directoryNodes(storage, sought)))
    } else if (everywhere && readBy < countOf(person)) {
      readBy = countOf(person)
      await readAll(keyTextsOf(person))
    } else if (person.values.length === 0 && !isMirrorRead) {
      // Without payloads, only the read model may identify them; it is read in full.
      isMirrorRead = true
      records.push(...(await nodesOfMirror(storage, person)))
    } else break
    person = resolve()
    if (person.emails.length > MAX_ADDRESSES)
      throw new UserError(
        `who: it leads to ${pluralize(person.emails.length, 'e-mail address', 'e-mail addresses')}, which are hardly one person’s. An id or address among them may be one that a POS uses for everybody: ask by an address or id that is theirs alone.`,
      )
  }
  const own = ownEvents()
  return { person, events: own, besideOthers: besideOthers(own), asked, begun: [], isBack: false }

  function resolve(): Person {
    return resolvePerson(asked, [...records, ...[...events.values()].flatMap(({ nodes }) => nodes)], learnt)
  }

  async function readEvents(there: readonly Found[]): Promise<void> {
    const found = there.map(({ event }) => event).filter(({ id }) => !events.has(id))
    for (const rows of partsOf(found, PAGE)) {
      const bodies = new Map((await storage.bodies(rows.map(({ id }) => id))).map(({ id, body }) => [id, body]))
      for (const row of rows) {
        const body = bodies.get(row.id) ?? null
        events.set(row.id, { row, nodes: personNodesOf(row.kind, payloadOrNull(body)) })
        const key = body === null || isPseudonymous(Buffer.from(body).toString()) ? keyOfPerson(row, there) : null
        if (key !== null) byKey.push({ row, key })
      }
    }
  }

  /** Events found by their payloads alone. */
  async function readAll(saying: readonly string[]): Promise<void> {
    for await (const { event, values } of rowsSaying(storage, 'payloads', saying)) {
      const [row] = event === null || events.has(event) ? [] : await storage.events({ id: event })
      if (row) events.set(row.id, { row, nodes: personNodesOf(row.kind, payloadOrNull(values[BODY] as Uint8Array)) })
    }
  }

  function ownEvents(): EventRow[] {
    const saidByMany = searchKeysOfPerson({ ...noIdentifiers(), customerIds: person.shared }).map(({ value }) => value)
    const own = new Map(byKey.flatMap(({ row, key }) => (saidByMany.includes(key.value) ? [] : [[row.id, row]])))
    for (const { row, nodes } of events.values()) if (nodes.some(isTheirs)) own.set(row.id, row)
    return [...own.values()]
  }

  function isTheirs(node: PersonNode): boolean {
    return countOf(identifiersOf(node)) > 0 && !person.isOfAnother(node)
  }

  function besideOthers(own: readonly EventRow[]): number[] {
    const isBeside = (node: PersonNode) => person.isOfAnother(node) && meetsAny(identifiersOf(node), person)
    return own.map(({ id }) => id).filter((id) => events.get(id)?.nodes.some(isBeside))
  }
}

const BODY = locationOf('payloads').columns.indexOf('body')

async function* rowsSaying(
  storage: Pick<Storage, 'personalPage'>,
  place: Parameters<typeof locationOf>[0],
  saying: readonly string[],
): AsyncGenerator<PersonalRow> {
  for await (const { rows, broken = [] } of pagesSaying(storage, place, saying)) {
    if (broken[0] !== undefined) throw new BrokenBlockError(broken[0])
    yield* rows
  }
}

/** For events whose payload is gone or pseudonymous. Phone numbers are shared, and ids may be other things'. */
function keyOfPerson(row: EventRow, found: readonly Found[]): SearchKey | null {
  const key = found.find(({ event }) => event.id === row.id)?.key
  return key?.sort === 'email' || (key?.sort === 'id' && isPersonsKind(row.kind)) ? key : null
}

async function directoryNodes(
  storage: Pick<Storage, 'findCustomers'>,
  { emails, phones }: Identifiers,
): Promise<PersonNode[]> {
  const queries = [
    ...emails.map((email) => ({ type: 'email' as const, email })),
    ...phones.map((phone) => ({ type: 'phone' as const, numbers: [phone], typed: phone })),
  ]
  return (await Promise.all(queries.map((query) => storage.findCustomers(query)))).flat().map(nodeOf)
}

const SORTS: Partial<Record<keyof CustomerRecord, PersonalSort>> = {
  ...{ customerId: 'customer', extId: 'customer', email: 'email', phone: 'phone' },
  ...{ firstName: 'name', lastName: 'name', companyName: 'name' },
  ...{ address: 'address', postalCode: 'place', city: 'place' },
}

export function nodeOf(record: Partial<CustomerRecord>): PersonNode {
  return {
    values: Object.entries(SORTS).flatMap(([name, sort]) => {
      const value = record[name as keyof CustomerRecord]
      return value ? [{ name, sort, value }] : []
    }),
  }
}

export function nodeOfRow(values: readonly PlaceValue[]): PersonNode {
  const { columns } = locationOf('customers')
  const record = columns.map((name, index) => [
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    typeof values[index] === 'string' ? values[index] : null,
  ])
  return nodeOf(Object.fromEntries(record))
}

interface Unfinished {
  row: PersonalRow
  pseudonym: string
  key: string
  learnt: Learnt
}

const SELECTION = locationOf('audit').columns.indexOf('selection')

/** Also uses what an unfinished erasure knew (`token`: of the proof). Throws a UserError if that leads to several people. */
export async function lookAgain(
  storage: Looked,
  asked: Identifiers,
  { token = null, everywhere = false }: { token?: string | null; everywhere?: boolean } = {},
): Promise<Known> {
  const theirs = (await unfinished(storage)).filter(
    ({ learnt, pseudonym }) =>
      tokenIn(pseudonym) === token ||
      meetsAny(asked, learnt.alone) ||
      JSON.stringify(asked) === JSON.stringify(learnt.asked),
  )
  const learnt = theirs.at(-1)?.learnt
  if (learnt === undefined) return await lookForPerson(storage, asked, { everywhere })
  const begun = theirs.map(({ pseudonym }) => tokenIn(pseudonym))
  return { ...(await lookOn(storage, asked, learnt, everywhere)), begun }
}

/** Continues from what is known. Throws as `lookAgain` does. */
export async function lookOn(storage: Looked, asked: Identifiers, learnt: Learnt, everywhere: boolean): Promise<Known> {
  const known = await lookForPerson(storage, asked, { learnt, everywhere })
  const found = new Set(known.events.map(({ id }) => id))
  const more: EventRow[] = []
  for (const id of learnt.events) if (!found.has(id)) more.push(...(await storage.events({ id })))
  return {
    ...known,
    events: [...known.events, ...more],
    besideOthers: [...new Set([...known.besideOthers, ...learnt.besideOthers])],
    isBack: known.events.some(({ id }) => !learnt.events.includes(id)),
  }
}

export function learntOf({ person, asked, events, besideOthers }: Known): Learnt {
  const { customerIds, extIds, emails, phones, values, alone, shared } = person
  const ids = events.map(({ id }) => id)
  return { customerIds, extIds, emails, phones, asked, shared, values, alone, events: ids, besideOthers }
}

/** Deletes what erasures had sealed in the audit; returns how many places still have a key of it. */
export async function forgetLearnt(
  storage: Pick<Storage, 'personalPage' | 'scrubSecrets'>,
  tokens: readonly string[],
): Promise<number> {
  const those = (await unfinished(storage)).filter(({ pseudonym }) => tokens.includes(tokenIn(pseudonym)))
  if (those.length === 0) return 0
  const changes = those.map(({ row: { row, values } }) => ({
    place: 'audit' as const,
    row,
    from: values,
    to: values.map((value, index) => (index === SELECTION ? withoutSealed(String(value)) : value)),
  }))
  const keys = those.map(({ key }) => key)
  return (await storage.scrubSecrets(changes, keys, 'audit')).found
}

async function unfinished(storage: Pick<Storage, 'personalPage'>): Promise<Unfinished[]> {
  const all: Unfinished[] = []
  for await (const row of rowsSaying(storage, 'audit', [BEGUN_MARK])) {
    const begun = readBegun(String(row.values[SELECTION]))
    if (begun) all.push({ row, pseudonym: begun.person, key: begun.key, learnt: begun.learnt })
  }
  return all
}
