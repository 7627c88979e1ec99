import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { isId } from '../../domain/values/field.ts'
import { SHAPES } from './known/kinds.ts'
import { faultText, type MappingFault, NOTED } from './mapping/mapping.ts'
import {
  canRead,
  fieldOf,
  locationOf,
  type Misleading,
  type PayloadField,
  rowsOf,
  type Shape,
  valueAt,
} from './read-field.ts'

export interface Unread {
  fields: readonly string[]
  looked: string[]
  row: number | null
}

export const UNREAD = 'unreadable-field'
const MAX_NAMED = 5

/** By payload: what flows ask of one is the same. */
const known = new WeakMap<object, Map<Shape, Unread[]>>()

export function unreadOf(kind: string, payload: unknown, without: readonly string[] = []): Unread[] {
  const shape = SHAPES.get(kind)
  if (!shape) return []
  let unread = known.get(Object(payload))?.get(shape)
  if (!unread) {
    const { lists, essentials, ifThere } = CHECKS.get(shape) as Checks
    const rows = new Map<string | null, unknown[]>([[null, [payload]]])
    // A missing list has no rows, and a fault of its own.
    for (const { name, within, field } of lists)
      rows.set(
        name,
        (rows.get(within) ?? []).flatMap((place) => rowsOf(field, place)),
      )
    unread = [
      ...faultsIn(payload).map((fault) => ({ fields: [fault.field], looked: [faultText(fault)], row: null })),
      ...essentials.flatMap((check) => firstUnread(check, rows)),
      ...(shape.misleading ? misled(shape.misleading, rows) : []),
      ...ifThere.flatMap((check) => firstUnread(check, rows)),
    ]
    if (typeof payload === 'object' && payload !== null)
      known.set(payload, (known.get(payload) ?? new Map<Shape, Unread[]>()).set(shape, unread))
  }
  return without.length === 0 ? unread : unread.filter(({ fields }) => !fields.every((one) => without.includes(one)))
}

/** Throws a HeldError naming each unreadable essential, also on release. `without`: fields not needed here. */
export function readable(
  event: Pick<Event, 'kind' | 'body'>,
  without: (payload: unknown) => readonly string[] = () => [],
): unknown {
  const payload = payloadOf(event)
  const unread = unreadOf(event.kind, payload, without(payload))
  if (unread.length > 0) throw new HeldError(unreadText(event.kind, unread), { code: UNREAD })
  return payload
}

export function unreadText(kind: string, unread: readonly Unread[]): string {
  const named = unread.slice(0, MAX_NAMED).map(({ fields, looked, row }) => {
    const where = row === null ? '' : ` of row ${row}`
    const [first = ''] = fields
    return `${fields.join(' or ')}${where} could not be read (${looked.join(', ')}); map it in config: platform.payloads.${kind}.${first}: <where it is>`
  })
  const more = unread.length > MAX_NAMED ? `; and ${unread.length - MAX_NAMED} more` : ''
  return `${kind}: ${named.join('; ')}${more}`
}

/** What could not be mapped. */
export function faultsIn(payload: unknown): MappingFault[] {
  if (payload === null || typeof payload !== 'object' || !Object.hasOwn(payload, NOTED)) return []
  const noted = (payload as Record<string, unknown>)[NOTED]
  return Array.isArray(noted) ? noted.filter(isFault) : []
}

function isFault(value: unknown): value is MappingFault {
  const { field, code, position } = Object(value) as Record<string, unknown>
  return (
    typeof field === 'string' &&
    /^[\w.]{1,80}$/.test(field) &&
    typeof code === 'string' &&
    /^(?:[A-Z]\d{4}|timeout|failed)$/.test(code) &&
    (position === null || typeof position === 'number')
  )
}

/** By list; null: the payload itself. */
type Rows = ReadonlyMap<string | null, readonly unknown[]>

/** One of `fields` is to be read in each row of their list. */
interface Check {
  names: readonly string[]
  fields: readonly PayloadField[]
  list: string | null
  /** It may be absent. */
  isOptional: boolean
}

interface Checks {
  /** Outermost first. */
  lists: readonly { name: string; within: string | null; field: PayloadField }[]
  essentials: readonly Check[]
  ifThere: readonly Check[]
}

const CHECKS = new Map([...SHAPES.values()].map((shape): [Shape, Checks] => [shape, checksOf(shape)]))

function checksOf(shape: Shape): Checks {
  const check = (names: readonly string[], isOptional: boolean): Check => {
    const [first = ''] = names
    return { names, fields: names.map((name) => fieldOf(shape, name)), list: locationOf(first).list, isOptional }
  }
  const essentials = shape.essentials.map((names) => check(names, false))
  const ifThere = (shape.ifThere ?? []).map((name) => check([name], true))
  const concerned = [...essentials, ...ifThere, ...(shape.misleading ? [shape.misleading] : [])]
  const lists = [...new Set(concerned.flatMap(({ list }) => listsTo(list)))]
  return {
    lists: lists.map((name) => ({ name, within: locationOf(name).list, field: fieldOf(shape, name) })),
    essentials,
    ifThere,
  }
}

function listsTo(list: string | null): string[] {
  return list === null ? [] : [...listsTo(locationOf(list).list), list]
}

function firstUnread({ names, fields, list, isOptional }: Check, all: Rows): Unread[] {
  const rows = all.get(list) ?? []
  const index = rows.findIndex((row) => {
    const states = fields.map((field) => stateOf(field, row))
    return states.includes('garbled') || !(isOptional || states.includes('read'))
  })
  if (index < 0) return []
  const looked = fields.flatMap((field) => lookedAt(field, rows[index]))
  return [{ fields: names, looked, row: list === null ? null : index + 1 }]
}

/** Garbled: what stands under the first name that is there is not what it should be. */
function stateOf({ is, names, otherwise }: PayloadField, place: unknown): 'read' | 'absent' | 'garbled' {
  for (const path of names) {
    const value = valueAt(place, path)
    if (value === undefined || value === null) continue
    if (canRead(is, value)) return 'read'
    if (isThere(value, is)) return 'garbled'
  }
  return (otherwise?.(place) ?? null) === null ? 'absent' : 'read'
}

function lookedAt({ is, names }: PayloadField, place: unknown): string[] {
  const looked: string[] = []
  for (const path of names) {
    const value = valueAt(place, path)
    if (canRead(is, value)) break
    looked.push(`${path}: ${wrong(is, value)}`)
    if (isThere(value, is)) break
  }
  return looked
}

function misled({ list, name, value, unless, fields, because }: Misleading, rows: Rows): Unread[] {
  const places = rows.get(list) ?? []
  const index = places.findIndex((place) => {
    const found = valueAt(place, name)
    if (unless !== undefined && isThere(valueAt(place, unless))) return false
    return value === undefined ? isThere(found) : found === value
  })
  return index < 0 ? [] : [{ fields, looked: [because], row: list === null ? null : index + 1 }]
}

function isThere(value: unknown, is: PayloadField['is'] = 'any'): boolean {
  if (value === undefined || value === null || value === '') return false
  return is !== 'id' || typeof value === 'object' || isId(String(value))
}

const WANTED = {
  ...{ text: 'a text', id: 'an id', number: 'a number', currency: 'a currency' },
  ...{ time: 'a time', flag: 'true or false', list: 'a list', any: 'there' },
}

function wrong(is: PayloadField['is'], value: unknown): string {
  if (!isThere(value)) return value === '' ? 'empty' : 'not there'
  if (!isThere(value, is)) return 'zero, which is no id'
  return `${kindOf(value)}, not ${WANTED[is]}`
}

function kindOf(value: unknown): string {
  const kinds: Record<string, string> = { object: 'an object', string: 'a text', number: 'a number' }
  return Array.isArray(value) ? 'a list' : (kinds[typeof value] ?? 'true or false')
}
