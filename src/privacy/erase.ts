import { isUtf8 } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { type ArchivedErasure, type ArchivedEvent, archivedBody } from '../archive/archive.ts'
import { countOf, identifiersOf, noIdentifiers, personNodesOf, singly } from '../domain/privacy/person-nodes.ts'
import { PLACES_TO_LOOK } from '../domain/privacy/personal-fields.ts'
import { keyTextsOf, resolvePerson } from '../domain/privacy/resolution.ts'
import {
  type Erasing,
  mapTexts,
  mentionsOf,
  pseudonymOf,
  rewriteJson,
  tokenIn,
  withoutIds,
  withoutKeys,
  withoutMentions,
} from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { someOf } from '../domain/values/text.ts'
import { chunksOf } from '../lib/collections.ts'
import {
  type ColumnValue,
  containingOne,
  PERSONAL_TABLE_NAMES,
  type PersonalChange,
  type PersonalRow,
  type PersonalTableName,
  pagesContaining,
  personalTable,
  type Scrubbed,
} from '../storage/personal-places.ts'
import type { DeliveryRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { eventsOnLegalHold } from '../storage/walk-pages.ts'
import {
  addHashed,
  type DataSubject,
  deleteSnapshots,
  isOfCustomer,
  nodeOfRow,
  type PersonReads,
  resolveDataSubject,
  searchKeysOfPerson,
  snapshotOf,
  textsInMirror,
} from './person.ts'

export interface Erased {
  pseudonym: string
  touched: Partial<Record<PersonalTableName, number>>
  events: number
  /** Events under a legal hold, left as they are. */
  held: number[]
  scrubbed: Scrubbed
}

type ErasedFrom = PersonReads &
  Pick<Storage, 'deliveries' | 'forgetEvents' | 'unindexEvents' | 'rewritePersonal' | 'legalHolds'> &
  Pick<Storage, 'searchRest' | 'scrub' | 'scrubSecrets'>

/** For rows written meanwhile. */
const ROUNDS = 3

const OPEN = new Set(['waiting', 'claimed', 'held'])

export async function openDeliveries(
  storage: Pick<Storage, 'deliveries'>,
  { events }: DataSubject,
): Promise<DeliveryRow[]> {
  const open: DeliveryRow[] = []
  for (const { id } of events)
    open.push(...(await storage.deliveries({ event: id, limit: 500 })).filter(({ state }) => OPEN.has(state)))
  return open
}

export function erasingOf({ person }: Pick<DataSubject, 'person'>, token = randomBytes(4).toString('hex')): Erasing {
  const { customerIds, extIds, emails, phones, alone, isOfAnother, isLinked, values } = person
  const its = { customerIds, extIds, emails, phones, alone, isOfAnother, isLinked }
  return { ...its, keys: keyTextsOf(person), mentions: mentionsOf(values), token }
}

/** Erases a person from every row, and searches what is left. The index finds the events until the end, so that an interrupted erasure can be repeated. */
export async function erasePerson(storage: ErasedFrom, known: DataSubject, before: Erasing): Promise<Erased> {
  let who = before
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  const beside = new Set(known.besideOthers)
  await storage.forgetEvents([...kinds.keys()])
  const touched: Erased['touched'] = {}
  const held = new Set<number>()
  await rewriteAll(false)
  const scrubbed = await lookForRest()
  scrubbed.warnings.push(PLACES_TO_LOOK)
  // Held events stay findable.
  const rewritten = new Set(kinds.keys()).difference(held)
  await storage.unindexEvents([...rewritten.difference(beside)], searchKeysOfPerson(who))
  await storage.unindexEvents([...rewritten.intersection(beside)], searchKeysOfPerson(who.alone))
  // Once a hold is released, the same command completes it.
  if (held.size === 0) scrubbed.found += await deleteSnapshots(storage, [who.token, ...known.begun])
  const pseudonym = pseudonymOf(who.token)
  return { pseudonym, touched, events: kinds.size, held: [...held].sort((a, b) => a - b), scrubbed }

  /** The second pass; rows that stay on purpose are named. */
  async function lookForRest(): Promise<Scrubbed> {
    const first = await storage.searchRest(who.keys)
    if (first.found === 0) return first
    await takeMissed()
    await rewriteAll(true)
    const { staying, missed } = await remainingMentions(storage, who)
    const last = await storage.scrub(who.keys)
    if (staying.length > 0) last.warnings.push(placesText(staying))
    const open = missed.filter(({ event }) => event === null || !held.has(event))
    const isExplained = staying.length + missed.length > 0
    return { ...last, found: last.found > 0 && isExplained ? open.length : last.found }
  }

  /** Events of the person that the index missed. */
  async function takeMissed(): Promise<void> {
    const more = await resolveDataSubject(storage, known.asked, snapshotOf(known), true).catch(nobodyMore)
    const missed = more?.events.filter(({ id }) => !kinds.has(id)) ?? []
    if (more === null || missed.length === 0) return
    who = erasingOf(more, who.token)
    for (const { id, kind } of missed) kinds.set(id, kind)
    for (const id of more.besideOthers) beside.add(id)
    await storage.forgetEvents(missed.map(({ id }) => id))
    await rewriteAll(false)
  }

  async function rewriteAll(everywhere: boolean): Promise<void> {
    for (let round = 0, left = true; left && round < ROUNDS; round++) {
      left = false
      for await (const rows of personalRowChanges(storage, who, kinds, everywhere)) {
        if (rows.length === 0) continue
        const { free, events } = await partHeld(storage, rows)
        for (const event of events) held.add(event)
        const count = await storage.rewritePersonal(free.map(({ change }) => change))
        left ||= count < free.length
        for (const { place } of free) touched[place] = (touched[place] ?? 0) + 1
      }
    }
  }
}

/** A search that leads to several people adds nothing. */
function nobodyMore(error: unknown): null {
  if (error instanceof UserError) return null
  throw error
}

/** A hold may have begun meanwhile. */
async function partHeld(
  storage: Pick<Storage, 'legalHolds'>,
  rows: readonly OwnRow[],
): Promise<{ free: OwnRow[]; events: number[] }> {
  const held = new Set(await eventsOnLegalHold(storage))
  const isHeld = ({ event }: OwnRow) => event !== null && held.has(event)
  return { free: rows.filter((row) => !isHeld(row)), events: rows.filter(isHeld).flatMap(({ event }) => event ?? []) }
}

function placesText(staying: readonly RemainingMention[]): string {
  const named = staying.map(({ table, event }) => (event === null ? table : `event ${event} (${table})`))
  return `An identifier of this person stands there as something else, or as a part of another word, and stays: look at ${someOf([...new Set(named)], 10)}.`
}

export async function countRows(storage: ErasedFrom, known: DataSubject, who: Erasing): Promise<Erased['touched']> {
  const touched: Erased['touched'] = {}
  const kinds = new Map(known.events.map(({ id, kind }) => [id, kind]))
  for await (const rows of personalRowChanges(storage, who, kinds))
    for (const { place } of rows) touched[place] = (touched[place] ?? 0) + 1
  return touched
}

/** Throws a UserError for pending deliveries. */
export function requireSettled(open: readonly DeliveryRow[], skipOpen: boolean): void {
  if (open.length === 0 || skipOpen) return
  const some = open.slice(0, 5).map(({ id }) => id)
  throw new UserError(
    `${open.length} deliveries of this person are still pending (${some.join(', ')}): wait until they are made, skip them ("tillbridge deliveries skip <id>"), or say --skip-open.`,
  )
}

interface OwnRow extends PersonalRow {
  place: PersonalTableName
  change: PersonalChange
}

const ROWS_PER_READ = 200

/** Places that identify people come last, so that an interrupted erasure finds the rest. */
const IDENTIFYING_TABLES: readonly PersonalTableName[] = ['payloads', 'customers']
const IN_ORDER = [...PERSONAL_TABLE_NAMES.filter((place) => !IDENTIFYING_TABLES.includes(place)), ...IDENTIFYING_TABLES]

/** Rows of one customer are deleted. Short ids are searched here alone. */
const DELETED_ENTIRELY = new Set<PersonalTableName>(['customers', 'links', 'acknowledged'])

/** Names composed of ids. */
const NAMES = new Set(['identity', 'entity', 'subject', 'effect', 'unless'])

/** Keys: digits alone may be receipt or order numbers, and stay. */
const KEYS = new Set([...NAMES, 'transport_key', 'key', 'facts', 'digest'])

export const JSON_COLUMNS = new Set(['body', 'selection', 'end', 'state'])

type Reads = Pick<Storage, 'personalPage' | 'events'>

/** Pages of rows about the person: of their events, and elsewhere by identifier. `everywhere`: searches the tables of events, too. */
export async function* personalRowChanges(
  storage: Reads,
  who: Erasing,
  kinds: ReadonlyMap<number, string>,
  everywhere = false,
): AsyncGenerator<OwnRow[]> {
  const kindsOf = createKinds(storage, kinds)
  for (const place of IN_ORDER) {
    if (personalTable(place).ofEvents !== undefined && !everywhere)
      for (const ofEvents of chunksOf(kinds.keys(), ROWS_PER_READ)) {
        const { rows } = await storage.personalPage({ place, ofEvents })
        yield await changed(place, rows)
      }
    else
      for await (const { rows } of pagesContaining(storage, place, textsOf(place, who), everywhere))
        yield await changed(place, rows)
  }

  async function changed(place: PersonalTableName, rows: readonly PersonalRow[]): Promise<OwnRow[]> {
    const kindOf = await kindsOf(rows)
    return rows.flatMap((row) => {
      const isOwn = row.event !== null && kinds.has(row.event)
      const to = rewriteRow(place, row, { kind: kindOf.get(row.event) ?? '', isOwn }, who)
      return to === undefined ? [] : [{ ...row, place, change: { place, row: row.row, from: row.values, to } }]
    })
  }
}

/** A row with an identifier that stays: in books, in a longer word, in an unlisted field. */
interface RemainingMention {
  table: PersonalTableName
  event: number | null
}

/** Rows with an identifier: staying on purpose, or missed. */
async function remainingMentions(
  storage: Reads,
  who: Erasing,
): Promise<{ staying: RemainingMention[]; missed: RemainingMention[] }> {
  const left = { staying: [] as RemainingMention[], missed: [] as RemainingMention[] }
  const kindsOf = createKinds(storage)
  const saysOne = containingOne(who.keys)
  for (const place of PERSONAL_TABLE_NAMES)
    for await (const { rows } of pagesContaining(storage, place, who.keys, true)) {
      const kindOf = await kindsOf(rows)
      for (const row of rows.filter(saysOne)) {
        const isMissed = rewriteRow(place, row, { kind: kindOf.get(row.event) ?? '', isOwn: false }, who) !== undefined
        left[isMissed ? 'missed' : 'staying'].push({ table: place, event: row.event })
      }
    }
  return left
}

function textsOf(
  place: PersonalTableName,
  { keys, alone, customerIds, extIds, emails, phones }: Erasing,
): readonly string[] {
  // A sale may have an id and no name.
  if (place === 'mirror') return [...keys, ...textsInMirror(alone)]
  return DELETED_ENTIRELY.has(place) ? [...new Set([...keys, ...customerIds, ...extIds, ...emails, ...phones])] : keys
}

/** Kinds of events, each read once. */
function createKinds(storage: Pick<Storage, 'events'>, known: Iterable<readonly [number, string]> = []) {
  const kinds = new Map(known)
  return async (rows: readonly PersonalRow[]): Promise<ReadonlyMap<number | null, string>> => {
    for (const { event } of rows) {
      if (event === null || kinds.has(event)) continue
      const [row] = await storage.events({ id: event })
      kinds.set(event, row?.kind ?? '')
    }
    return kinds
  }
}

type OfEvent = Record<'kind', string> & Record<'isOwn', boolean>

/** Null: delete the row; undefined: unchanged. */
function rewriteRow(
  place: PersonalTableName,
  { values }: PersonalRow,
  { kind, isOwn }: OfEvent,
  who: Erasing,
): ColumnValue[] | null | undefined {
  const { columns } = personalTable(place)
  if (DELETED_ENTIRELY.has(place)) return isAboutPerson(place, values, who) ? null : undefined
  const body = values[columns.indexOf('body')]
  const isTheirs =
    isOwn || (place === 'mirror' && typeof body === 'string' && isOfCustomer(JSON.parse(body), who.alone))
  const to = columns.map((name, index) => rewriteValue(name, values[index] ?? null, { kind, isOwn: isTheirs }, who))
  // A digest can be attacked by guessing.
  const [digest, subject] = [columns.indexOf('digest'), columns.indexOf('subject')]
  if (digest >= 0 && subject >= 0 && to[subject] !== values[subject]) to[digest] = null
  return to.every((value, index) => isSame(value, values[index] ?? null)) ? undefined : to
}

function rewriteValue(column: string, value: ColumnValue, { kind, isOwn }: OfEvent, who: Erasing): ColumnValue {
  if (value === null) return null
  if (typeof value !== 'string') return rewriteBytes(value, { kind, isOwn }, who)
  if (JSON_COLUMNS.has(column)) return rewriteJson(value, kind, who, isOwn)
  if (KEYS.has(column)) return withoutKeys(NAMES.has(column) && isOwn ? withoutIds(value, who) : value, who, false)
  return isOwn ? withoutMentions(value, who) : withoutKeys(value, who)
}

function rewriteBytes(value: Uint8Array, { kind, isOwn }: OfEvent, who: Erasing): Uint8Array {
  const isText = isUtf8(value)
  const text = Buffer.from(value).toString(isText ? 'utf8' : 'latin1')
  const rewritten = rewriteJson(text, kind, who, isOwn)
  return rewritten === text ? value : Buffer.from(rewritten, isText ? 'utf8' : 'latin1')
}

/** Ids may be short: a mere occurrence proves nothing. */
function isAboutPerson(place: PersonalTableName, values: readonly ColumnValue[], who: Erasing): boolean {
  if (place === 'customers') {
    const node = nodeOfRow(values)
    return countOf(identifiersOf(node)) > 0 && !who.isOfAnother(node)
  }
  const texts = values.map((value) => (typeof value === 'string' ? value : ''))
  if (place === 'links') return texts[1] === 'customer' && who.isLinked(texts[0] ?? '', texts[2] ?? '')
  const subject = texts[2] ?? ''
  return withoutKeys(withoutIds(subject, who), who, false) !== subject
}

function isSame(one: ColumnValue, other: ColumnValue): boolean {
  if (one === null || other === null || typeof one === 'string' || typeof other === 'string') return one === other
  return Buffer.compare(one, other) === 0
}

/** An archived event without those whose erasures the archive lists. */
export async function withoutErased(
  storage: Pick<Storage, 'hashedKeys'>,
  event: ArchivedEvent,
  erasures: readonly ArchivedErasure[],
): Promise<ArchivedEvent> {
  let left = event
  for (const { keys, pseudonym } of erasures) {
    const meant = noIdentifiers()
    for (const its of nodesOf(left).map(identifiersOf)) await addHashed(storage, [its], new Set(keys), meant)
    if (singly(meant).length > 0)
      left = rewriteArchived(left, erasingOf({ person: resolvePerson(meant, nodesOf(left)) }, tokenIn(pseudonym)))
  }
  return left
}

function rewriteArchived(event: ArchivedEvent, who: Erasing): ArchivedEvent {
  const body = archivedBody(event)
  const text = body && rewriteJson(body.toString('utf8'), event.kind, who, true)
  const { body: _, ...rest } = event
  const left = mapTexts(rest, (one) => withoutMentions(withoutIds(one, who), who))
  return { ...(left as ArchivedEvent), body: text === null ? null : { text } }
}

function nodesOf(event: ArchivedEvent) {
  return personNodesOf(event.kind, payloadOrNull(archivedBody(event)))
}
