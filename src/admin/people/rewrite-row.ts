import { isUtf8 } from 'node:buffer'
import { withoutNeedles } from '../../domain/people/erasing/needles.ts'
import { type Forgotten, rewriteJson, withoutIds } from '../../domain/people/erasing/rewriting.ts'
import type { PersonalRow, PlaceValue } from '../../store/people/personal-row.ts'
import { type PlaceName, placeOf } from '../../store/people/places.ts'
import { isOfGoods, needlesIn } from './book-rows.ts'
import { nodeOfRow } from './look.ts'
import { idsInMirror } from './mirrored.ts'

/** Columns whose text is a name put together of ids. */
const NAMES = new Set(['identity', 'entity', 'subject', 'effect', 'unless'])

/** Columns of JSON in which fields are told by their names. */
export const JSON_COLUMNS = new Set(['body', 'selection', 'end', 'state'])

/** The event of a row: its kind, empty where there is none, and whether it is known to be the person's. */
export interface OfEvent {
  kind: string
  isOwn: boolean
}

/** Rows of one person each: nothing of them has to be kept. */
const GO_WHOLE = new Set<PlaceName>(['customers', 'links', 'acknowledged'])

/**
 * The values of a row without the person; null: the row goes; undefined: nothing of it is about the person. `of`: the event that
 * it is of. Pure.
 */
export function rewriteRow(
  place: PlaceName,
  { values }: PersonalRow,
  of: OfEvent,
  who: Forgotten,
): PlaceValue[] | null | undefined {
  const { columns } = placeOf(place)
  if (GO_WHOLE.has(place)) return isAboutPerson(place, values, who) ? null : undefined
  const ofPerson = {
    ...of,
    isOwn: of.isOwn || (place === 'mirror' && isOfCustomer(values[columns.indexOf('body')], who)),
  }
  const isOfBooks = isOfGoods(place, values)
  const to = columns.map((name, index) => rewriteValue(name, values[index] ?? null, { ...ofPerson, isOfBooks }, who))
  // The digest of what was said of a person can be tried against what might have been said.
  const digest = columns.indexOf('digest')
  const subject = columns.indexOf('subject')
  if (digest >= 0 && subject >= 0 && to[subject] !== values[subject]) to[digest] = null
  return to.every((value, index) => isSame(value, values[index] ?? null)) ? undefined : to
}

function rewriteValue(
  column: string,
  value: PlaceValue,
  { kind, isOwn, isOfBooks }: OfEvent & { isOfBooks: boolean },
  who: Forgotten,
): PlaceValue {
  if (value === null) return null
  if (typeof value !== 'string') return rewriteBytes(value, { kind, isOwn }, who)
  const named = NAMES.has(column) && isOwn ? withoutIds(value, who) : value
  if (JSON_COLUMNS.has(column)) return rewriteJson(named, kind, who, isOwn, isOfBooks)
  return withoutNeedles(named, needlesIn(column, who.needles, isOwn), who.token, isOwn)
}

function rewriteBytes(value: Uint8Array, { kind, isOwn }: OfEvent, who: Forgotten): Uint8Array {
  // A value that is no text says nothing that was read.
  const isText = isUtf8(value)
  const text = Buffer.from(value).toString(isText ? 'utf8' : 'latin1')
  const rewritten = rewriteJson(text, kind, who, isOwn)
  return rewritten === text ? value : Buffer.from(rewritten, isText ? 'utf8' : 'latin1')
}

/** Ids may be short: what only holds one somewhere is another's. */
function isAboutPerson(place: PlaceName, values: readonly PlaceValue[], who: Forgotten): boolean {
  const texts = values.map((value) => (typeof value === 'string' ? value : ''))
  if (place === 'links') return texts[1] === 'customer' && who.isLinked(texts[0] ?? '', texts[2] ?? '')
  if (place === 'acknowledged') return withoutIds(texts[2] ?? '', who) !== texts[2] || says(texts[2] ?? '', who)
  const [customerId = '', extId = '', email = '', phone = '', firstName = ''] = texts
  // An own system may have the same id for somebody else.
  if (who.isOfAnother(nodeOfRow(values))) return false
  if (who.customerIds.includes(customerId) || who.customerIds.includes(extId)) return true
  if (email !== '') return who.emails.includes(email)
  return who.phones.includes(phone) && says(firstName, who)
}

function isOfCustomer(body: PlaceValue | undefined, { alone }: Forgotten): boolean {
  // The first is the platform's, and says it for sure: an own system may have the same id for somebody else.
  const [id] = typeof body === 'string' ? idsInMirror(JSON.parse(body)) : []
  return id !== undefined && alone.customerIds.includes(id)
}

function says(text: string, { needles, token }: Forgotten): boolean {
  return withoutNeedles(text, needles, token, true) !== text
}

function isSame(one: PlaceValue, other: PlaceValue): boolean {
  if (one === null || other === null || typeof one === 'string' || typeof other === 'string') return one === other
  return Buffer.compare(one, other) === 0
}
