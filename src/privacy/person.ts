import { MIRROR_SETS, type MirrorSet } from '../domain/catalogue/mirror.ts'
import { readCustomerQuery } from '../domain/customers/customer-query.ts'
import type { CustomerRecord } from '../domain/customers/customer-record.ts'
import { BEGUN_MARK, type ErasureSnapshot, readBegun, withoutSealed } from '../domain/privacy/notice.ts'
import {
  addTo,
  countOf,
  emailOf,
  type Identifiers,
  identifiersOf,
  meetsAny,
  noIdentifiers,
  type PersonNode,
  personNodesOf,
  singly,
} from '../domain/privacy/person-nodes.ts'
import { isPersonsKind, type PersonalDataType } from '../domain/privacy/personal-fields.ts'
import { keyTextsOf, type Person, resolvePerson } from '../domain/privacy/resolution.ts'
import { identifiersInName, isPseudonymous, tokenIn } from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { codeOf, type SearchKey, searchTermsOf } from '../domain/queue/search-keys.ts'
import { UserError } from '../domain/values/errors.ts'
import { field, idText, text } from '../domain/values/field.ts'
import { pluralize } from '../domain/values/text.ts'
import { chunksOf } from '../lib/collections.ts'
import { withoutEnd } from '../lib/http/url.ts'
import type { Found } from '../storage/arrival.ts'
import { BrokenPayloadError } from '../storage/payload.ts'
import { type ColumnValue, type PersonalRow, pagesContaining, personalTable } from '../storage/personal-places.ts'
import type { EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { bodiesById, mirrorPages } from '../storage/walk-pages.ts'

export interface DataSubject {
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

const EVENTS_PER_READ = 100

/** More addresses come from a collective address or id. */
const MAX_ADDRESSES = 20

export type PersonReads = Pick<Storage, 'find' | 'bodies' | 'findCustomers' | 'personalPage' | 'events'>

/** Identity resolution: each new identifier is searched in turn. Throws a UserError if it leads to more addresses than one person has. */
export async function resolveDataSubject(
  storage: PersonReads,
  askedNow: Identifiers,
  snapshot: ErasureSnapshot | null,
  everywhere: boolean,
): Promise<DataSubject> {
  const asked = structuredClone(askedNow)
  if (snapshot) addTo(asked, snapshot.asked)
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
        `who: it leads to ${pluralize(person.emails.length, 'e-mail address', 'e-mail addresses')}, which are hardly one person’s. An id or address among them may be one that a POS uses for all customers: ask by an address or id that is theirs alone.`,
      )
  }
  const own = ownEvents()
  const beside = new Set([...besideOthers(own), ...(snapshot?.besideOthers ?? [])])
  const isBack = snapshot !== null && own.some(({ id }) => !snapshot.events.includes(id))
  const more = (snapshot?.events ?? []).filter((id) => own.every((row) => row.id !== id))
  const gone: EventRow[] = []
  for (const id of more) gone.push(...(await storage.events({ id })))
  return { person, events: [...own, ...gone], besideOthers: [...beside], asked, begun: [], isBack }

  function resolve(): Person {
    return resolvePerson(asked, [...records, ...[...events.values()].flatMap(({ nodes }) => nodes)], snapshot)
  }

  async function readEvents(there: readonly Found[]): Promise<void> {
    const found = there.map(({ event }) => event).filter(({ id }) => !events.has(id))
    for (const rows of chunksOf(found, EVENTS_PER_READ)) {
      const bodies = await bodiesById(storage, rows)
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

const BODY = personalTable('payloads').columns.indexOf('body')

async function* rowsSaying(
  storage: Pick<Storage, 'personalPage'>,
  place: Parameters<typeof personalTable>[0],
  saying: readonly string[],
): AsyncGenerator<PersonalRow> {
  for await (const { rows, broken = [] } of pagesContaining(storage, place, saying)) {
    if (broken[0] !== undefined) throw new BrokenPayloadError(broken[0])
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

const SORTS: Partial<Record<keyof CustomerRecord, PersonalDataType>> = {
  ...{ customerId: 'customer', extId: 'customer', email: 'email', phone: 'phone' },
  ...{ firstName: 'name', lastName: 'name', companyName: 'name' },
  ...{ address: 'address', postalCode: 'place', city: 'place' },
}

function nodeOf(record: Partial<CustomerRecord>): PersonNode {
  return {
    values: Object.entries(SORTS).flatMap(([name, sort]) => {
      const value = record[name as keyof CustomerRecord]
      return value ? [{ name, sort, value }] : []
    }),
  }
}

export function nodeOfRow(values: readonly ColumnValue[]): PersonNode {
  const { columns } = personalTable('customers')
  const record = columns.map((name, index) => [
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    typeof values[index] === 'string' ? values[index] : null,
  ])
  return nodeOf(Object.fromEntries(record))
}

const SELECTION = personalTable('audit').columns.indexOf('selection')

/** Also uses what an unfinished erasure knew (`token`: of the proof). Throws a UserError if that leads to several people. */
export async function findDataSubject(
  storage: PersonReads,
  asked: Identifiers,
  { token = null, everywhere = false }: { token?: string | null; everywhere?: boolean } = {},
): Promise<DataSubject> {
  const isTheirs = ({ snapshot, person }: NonNullable<ReturnType<typeof readBegun>>) =>
    tokenIn(person) === token ||
    meetsAny(asked, snapshot.alone) ||
    JSON.stringify(asked) === JSON.stringify(snapshot.asked)
  const theirs = (await unfinished(storage)).map(({ begun }) => begun).filter(isTheirs)
  const known = await resolveDataSubject(storage, asked, theirs.at(-1)?.snapshot ?? null, everywhere)
  return { ...known, begun: theirs.map(({ person }) => tokenIn(person)) }
}

export function snapshotOf({ person, asked, events, besideOthers }: DataSubject): ErasureSnapshot {
  const { customerIds, extIds, emails, phones, values, alone, shared } = person
  const ids = events.map(({ id }) => id)
  return { customerIds, extIds, emails, phones, asked, shared, values, alone, events: ids, besideOthers }
}

/** Deletes what erasures had sealed in the audit; returns how many places still have a key of it. */
export async function deleteSnapshots(
  storage: Pick<Storage, 'personalPage' | 'scrubSecrets'>,
  tokens: readonly string[],
): Promise<number> {
  const those = (await unfinished(storage)).filter(({ begun }) => tokens.includes(tokenIn(begun.person)))
  if (those.length === 0) return 0
  const changes = those.map(({ row: { row, values } }) => ({
    place: 'audit' as const,
    row,
    from: values,
    to: values.map((value, index) => (index === SELECTION ? withoutSealed(String(value)) : value)),
  }))
  const keys = those.map(({ begun }) => begun.key)
  return (await storage.scrubSecrets(changes, keys, 'audit')).found
}

async function unfinished(storage: Pick<Storage, 'personalPage'>) {
  const all: { row: PersonalRow; begun: NonNullable<ReturnType<typeof readBegun>> }[] = []
  for await (const row of rowsSaying(storage, 'audit', [BEGUN_MARK])) {
    const begun = readBegun(String(row.values[SELECTION]))
    if (begun) all.push({ row, begun })
  }
  return all
}

/** E-mail address, phone number, or else a customer id. */
export function parseIdentifiers(texts: readonly string[], countries: readonly string[]): Identifiers {
  const asked = noIdentifiers()
  for (const text of texts.map((one) => one.trim())) {
    const query = readCustomerQuery(text, countries)
    if (query?.type === 'email') asked.emails.push(emailOf(text))
    // Digits may be a phone number or an id.
    else asked.customerIds.push(text)
    if (query?.type === 'phone') asked.phones.push(...query.numbers.slice(0, 1), query.typed)
  }
  return asked
}

export function searchKeysOfPerson(its: Identifiers): SearchKey[] {
  const ids = new Set([...its.customerIds, ...its.extIds].map(codeOf))
  return [...[...ids].map((value) => ({ sort: 'id' as const, value })), ...addressKeys(its)]
}

/** Keys of a proof, to be hashed: search keys, and typed ids. Shared identifiers are left out. */
export function keysOfErasure({ alone }: Pick<Person, 'alone'>): SearchKey[] {
  return [...searchKeysOfPerson(alone), ...typedIdKeys(alone)]
}

function addressKeys({ emails, phones }: Identifiers): SearchKey[] {
  return [
    ...emails.map((value) => ({ sort: 'email' as const, value })),
    ...phones.flatMap((phone) => searchTermsOf(phone, []).filter(({ sort }) => sort === 'phone')),
  ]
}

function typedIdKeys({ customerIds, extIds }: Identifiers): SearchKey[] {
  return [
    ...customerIds.map((id) => ({ sort: 'id' as const, value: `customer ${codeOf(id)}` })),
    ...extIds.map((id) => ({ sort: 'id' as const, value: `external ${codeOf(id)}` })),
  ]
}

/** More rows are not one person's. */
const MAX_ROWS = 5_000

type Ids = Pick<Identifiers, 'customerIds' | 'extIds'>

/** True if the row names the person by platform id, or without one by extId. */
export function isOfCustomer(body: unknown, { customerIds, extIds }: Ids): boolean {
  const [id, extId] = [idText(body, 'customerId'), text(field(body, 'customer'), 'number')]
  return id === null ? extId !== null && extIds.includes(extId) : customerIds.includes(id)
}

/** With the field name: an id alone may be short. */
export function textsInMirror({ customerIds, extIds }: Ids): string[] {
  const named = (name: string) => (id: string) => `"${name}":${JSON.stringify(id)}`
  return [...customerIds.map(named('customerId')), ...extIds.map(named('number'))]
}

function nodesInMirror(body: Readonly<Record<string, unknown>>): PersonNode[] {
  const { customerId, ...rest } = body
  const [customer, customerExtId] = [body.customer ?? {}, field(body.customer, 'number')]
  return personNodesOf('', { ...rest, customer: { ...customer, customerId, customerExtId } })
}

async function nodesOfMirror(storage: Pick<Storage, 'personalPage'>, own: Identifiers): Promise<PersonNode[]> {
  const saying = [...textsInMirror(own), ...own.emails, ...own.phones]
  const at = personalTable('mirror').columns.indexOf('body')
  const nodes: PersonNode[] = []
  for await (const { rows } of pagesContaining(storage, 'mirror', saying)) {
    for (const { values } of rows) nodes.push(...nodesInMirror(JSON.parse(String(values[at]))))
    if (nodes.length >= MAX_ROWS) break
  }
  return nodes
}

/** Large sets without people. */
const OF_GOODS = new Set<MirrorSet>(['stock', 'movements', 'sales-lines', 'products'])

const CUSTOMERS = 1_000

/** Identifiers whose hashes a proof has, in events (names and payloads), the directory and the read model. */
export async function identifiersUnder(
  storage: Pick<Storage, 'findHashed' | 'hashedKeys' | 'bodies' | 'customersPage' | 'mirrorPage'>,
  keys: readonly string[],
): Promise<Identifiers> {
  const wanted = new Set(keys)
  const found = noIdentifiers()
  const take = (said: readonly Identifiers[]) => addHashed(storage, said, wanted, found)
  const events = await storage.findHashed(keys, MAX_EVENTS)
  await take(events.flatMap(({ entity, identity }) => [entity, identity].map((name) => identifiersInName(name ?? ''))))
  for (const part of chunksOf(events, EVENTS_PER_READ)) {
    const kinds = new Map(part.map(({ id, kind }) => [id, kind]))
    const bodies = await storage.bodies([...kinds.keys()])
    const nodes = bodies.flatMap(({ id, body }) => personNodesOf(kinds.get(id) ?? '', payloadOrNull(body)))
    await take(nodes.map(identifiersOf))
  }
  for (let after: number | null = 0; after !== null; ) {
    const rows = await storage.customersPage(after, CUSTOMERS)
    await take(rows.map((row) => identifiersOf(nodeOf(row))))
    after = rows.length < CUSTOMERS ? null : (rows.at(-1)?.id ?? null)
  }
  for (const set of MIRROR_SETS.filter((one) => !OF_GOODS.has(one)))
    for await (const rows of mirrorPages(storage, { set }))
      await take(rows.flatMap(({ body }) => identifiersInMirror(body)))
  return found
}

export async function addHashed(
  storage: Pick<Storage, 'hashedKeys'>,
  said: readonly Identifiers[],
  wanted: ReadonlySet<string>,
  found: Identifiers,
): Promise<void> {
  const each = said.flatMap(singly).map((one) => ({ one, keys: [...typedIdKeys(one), ...addressKeys(one)] }))
  const hashes = await storage.hashedKeys(each.flatMap(({ keys }) => keys))
  let at = 0
  for (const { one, keys } of each) {
    const isWanted = hashes.slice(at, at + keys.length).some((hash) => wanted.has(hash))
    at += keys.length
    if (isWanted) addTo(found, one)
  }
}

/** Comments name people, too. */
function identifiersInMirror(body: Readonly<Record<string, unknown>>): Identifiers[] {
  const emails = JSON.stringify(body)
    .split(BESIDE)
    .flatMap((word) => addressIn(word) ?? [])
  return [...nodesInMirror(body).map(identifiersOf), { ...noIdentifiers(), emails: emails.map(emailOf) }]
}

const BESIDE = /[\s"\\<>()[\],;:]/
const DOMAIN = /^[\p{L}\p{N}.-]*/u

/** Without punctuation behind it. */
function addressIn(word: string): string | null {
  const at = word.lastIndexOf('@')
  const [domain = ''] = DOMAIN.exec(word.slice(at + 1)) ?? []
  const named = withoutEnd(domain, /[.-]/)
  return at < 1 || named === '' ? null : word.slice(0, at + 1) + named
}
