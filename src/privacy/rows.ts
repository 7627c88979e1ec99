import { isUtf8 } from 'node:buffer'
import { countOf, identifiersOf } from '../domain/privacy/person-nodes.ts'
import { type Erasing, rewriteJson, withoutIds, withoutKeys, withoutMentions } from '../domain/privacy/rewriting.ts'
import { partsOf } from '../lib/collections.ts'
import {
  locationOf,
  type PersonalChange,
  type PersonalRow,
  PLACE_NAMES,
  type PlaceName,
  type PlaceValue,
  pagesSaying,
  sayingOne,
} from '../storage/personal-places.ts'
import type { Storage } from '../storage/storage.ts'
import { isOfCustomer, textsInMirror } from './identifiers.ts'
import { nodeOfRow } from './look.ts'

export interface OwnRow extends PersonalRow {
  place: PlaceName
  change: PersonalChange
}

const PAGE = 200

/** Places that identify people come last, so that an interrupted erasure finds the rest. */
const TELLING: readonly PlaceName[] = ['payloads', 'customers']
const IN_ORDER = [...PLACE_NAMES.filter((place) => !TELLING.includes(place)), ...TELLING]

/** Rows of one customer are deleted. Short ids are searched here alone. */
const GO_WHOLE: ReadonlySet<PlaceName> = new Set<PlaceName>(['customers', 'links', 'acknowledged'])

/** Names composed of ids. */
const NAMES = new Set(['identity', 'entity', 'subject', 'effect', 'unless'])

/** Keys: digits alone may be receipt or order numbers, and stay. */
const KEYS = new Set([...NAMES, 'transport_key', 'key', 'facts', 'digest'])

export const JSON_COLUMNS = new Set(['body', 'selection', 'end', 'state'])

type Reads = Pick<Storage, 'personalPage' | 'events'>

/** Pages of rows about the person: of their events, and elsewhere by identifier. `everywhere`: searches the tables of events, too. */
export async function* ownRows(
  storage: Reads,
  who: Erasing,
  kinds: ReadonlyMap<number, string>,
  everywhere = false,
): AsyncGenerator<OwnRow[]> {
  const kindsOf = createKinds(storage, kinds)
  for (const place of IN_ORDER) {
    if (locationOf(place).ofEvents !== undefined && !everywhere)
      for (const ofEvents of partsOf(kinds.keys(), PAGE)) {
        const { rows } = await storage.personalPage({ place, ofEvents })
        yield await changed(place, rows)
      }
    else
      for await (const { rows } of pagesSaying(storage, place, textsOf(place, who), everywhere))
        yield await changed(place, rows)
  }

  async function changed(place: PlaceName, rows: readonly PersonalRow[]): Promise<OwnRow[]> {
    const kindOf = await kindsOf(rows)
    return rows.flatMap((row) => {
      const isOwn = row.event !== null && kinds.has(row.event)
      const to = rewriteRow(place, row, { kind: kindOf.get(row.event) ?? '', isOwn }, who)
      return to === undefined ? [] : [{ ...row, place, change: { place, row: row.row, from: row.values, to } }]
    })
  }
}

/** A row with an identifier that stays: in books, in a longer word, in an unlisted field. */
export interface PlaceToLook {
  table: PlaceName
  event: number | null
}

/** Rows with an identifier: staying on purpose, or missed. */
export async function leftRows(
  storage: Reads,
  who: Erasing,
): Promise<{ staying: PlaceToLook[]; missed: PlaceToLook[] }> {
  const left = { staying: [] as PlaceToLook[], missed: [] as PlaceToLook[] }
  const kindsOf = createKinds(storage)
  const saysOne = sayingOne(who.keys)
  for (const place of PLACE_NAMES)
    for await (const { rows } of pagesSaying(storage, place, who.keys, true)) {
      const kindOf = await kindsOf(rows)
      for (const row of rows.filter(saysOne)) {
        const isMissed = rewriteRow(place, row, { kind: kindOf.get(row.event) ?? '', isOwn: false }, who) !== undefined
        left[isMissed ? 'missed' : 'staying'].push({ table: place, event: row.event })
      }
    }
  return left
}

function textsOf(place: PlaceName, { keys, alone, customerIds, extIds, emails, phones }: Erasing): readonly string[] {
  // A sale may have an id and no name.
  if (place === 'mirror') return [...keys, ...textsInMirror(alone)]
  return GO_WHOLE.has(place) ? [...new Set([...keys, ...customerIds, ...extIds, ...emails, ...phones])] : keys
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

interface OfEvent {
  kind: string
  isOwn: boolean
}

/** Null: delete the row; undefined: unchanged. */
function rewriteRow(
  place: PlaceName,
  { values }: PersonalRow,
  { kind, isOwn }: OfEvent,
  who: Erasing,
): PlaceValue[] | null | undefined {
  const { columns } = locationOf(place)
  if (GO_WHOLE.has(place)) return isAboutPerson(place, values, who) ? null : undefined
  const body = values[columns.indexOf('body')]
  const isTheirs =
    isOwn || (place === 'mirror' && typeof body === 'string' && isOfCustomer(JSON.parse(body), who.alone))
  const to = columns.map((name, index) => rewriteValue(name, values[index] ?? null, { kind, isOwn: isTheirs }, who))
  // A digest can be attacked by guessing.
  const [digest, subject] = [columns.indexOf('digest'), columns.indexOf('subject')]
  if (digest >= 0 && subject >= 0 && to[subject] !== values[subject]) to[digest] = null
  return to.every((value, index) => isSame(value, values[index] ?? null)) ? undefined : to
}

function rewriteValue(column: string, value: PlaceValue, { kind, isOwn }: OfEvent, who: Erasing): PlaceValue {
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
function isAboutPerson(place: PlaceName, values: readonly PlaceValue[], who: Erasing): boolean {
  if (place === 'customers') {
    const node = nodeOfRow(values)
    return countOf(identifiersOf(node)) > 0 && !who.isOfAnother(node)
  }
  const texts = values.map((value) => (typeof value === 'string' ? value : ''))
  if (place === 'links') return texts[1] === 'customer' && who.isLinked(texts[0] ?? '', texts[2] ?? '')
  const subject = texts[2] ?? ''
  return withoutKeys(withoutIds(subject, who), who, false) !== subject
}

function isSame(one: PlaceValue, other: PlaceValue): boolean {
  if (one === null || other === null || typeof one === 'string' || typeof other === 'string') return one === other
  return Buffer.compare(one, other) === 0
}
