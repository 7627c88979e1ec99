import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { isId } from '../../domain/values/field.ts'
import { locationOf, type Misleading, type PayloadField, type Shape } from './known/from.ts'
import { shapeOf } from './known/kinds.ts'
import { faultsIn, faultText } from './mapping/mapping.ts'
import { canRead, rowsOf, valueAt } from './read-field.ts'

export interface Unread {
  fields: readonly string[]
  looked: string[]
  row: number | null
}

export const UNREAD = 'unreadable-field'
const MAX_NAMED = 5
const known = new WeakMap<object, Map<Shape, Unread[]>>()

export function unreadOf(kind: string, payload: unknown, without: readonly string[] = []): Unread[] {
  const unread = unreadWhole(kind, payload)
  return without.length === 0 ? unread : unread.filter(({ fields }) => !fields.every((one) => without.includes(one)))
}

function unreadWhole(kind: string, payload: unknown): Unread[] {
  const shape = shapeOf(kind)
  if (!shape) return []
  if (payload === null || typeof payload !== 'object') return unreadIn(shape, payload)
  const found = known.get(payload)?.get(shape) ?? unreadIn(shape, payload)
  const ofPayload = known.get(payload) ?? new Map<Shape, Unread[]>()
  known.set(payload, ofPayload.set(shape, found))
  return found
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

function unreadIn(shape: Shape, payload: unknown): Unread[] {
  const { essentials, ifThere = [] } = shape
  return [
    ...faultsIn(payload).map((fault) => ({ fields: [fault.field], looked: [faultText(fault)], row: null })),
    ...essentials.flatMap((fields) => inEach(shape, fields, payload, (where) => missing(shape, fields, where))),
    ...(shape.misleading ? misled(shape, shape.misleading, payload) : []),
    ...ifThere.flatMap((field) => inEach(shape, [field], payload, (where) => garbled(shape, field, where))),
  ]
}

function misled(shape: Shape, { list, name, value, unless, fields, because }: Misleading, payload: unknown): Unread[] {
  const places = list === null ? [payload] : rowsIn(shape, list, payload)
  const index = places.findIndex((place) => {
    const found = valueAt(place, name)
    if (unless !== undefined && isThere(valueAt(place, unless))) return false
    return value === undefined ? isThere(found) : found === value
  })
  return index < 0 ? [] : [{ fields, looked: [because], row: list === null ? null : index + 1 }]
}

/** A missing list has its own fault. */
function inEach(
  shape: Shape,
  [field = '']: readonly string[],
  payload: unknown,
  find: (container: unknown) => Omit<Unread, 'row'> | null,
): Unread[] {
  const { list } = locationOf(field)
  const containers = list === null ? [payload] : rowsIn(shape, list, payload)
  for (const [index, container] of containers.entries()) {
    const found = find(container)
    if (found) return [{ ...found, row: list === null ? null : index + 1 }]
  }
  return []
}

function rowsIn(shape: Shape, list: string, payload: unknown): unknown[] {
  const outer = locationOf(list).list
  const containers = outer === null ? [payload] : rowsIn(shape, outer, payload)
  return containers.flatMap((container) => rowsOf(fieldOf(shape, list), container))
}

function missing(shape: Shape, fields: readonly string[], container: unknown): Omit<Unread, 'row'> | null {
  const looked: string[] = []
  let isRead = false
  let isGarbled = false
  for (const { is, names, otherwise } of fields.map((name) => fieldOf(shape, name))) {
    for (const path of names) {
      const value = valueAt(container, path)
      if (canRead(is, value)) {
        isRead = true
        break
      }
      looked.push(`${path}: ${wrong(is, value)}`)
      if (!isThere(value, is)) continue
      isGarbled = true
      break
    }
    isRead ||= !isGarbled && (otherwise?.(container) ?? null) !== null
  }
  return isGarbled || !isRead ? { fields, looked } : null
}

function garbled(shape: Shape, name: string, container: unknown): Omit<Unread, 'row'> | null {
  const { is, names } = fieldOf(shape, name)
  return names.some((path) => isThere(valueAt(container, path), is)) ? missing(shape, [name], container) : null
}

function isThere(value: unknown, is: PayloadField['is'] = 'any'): boolean {
  if (value === undefined || value === null || value === '') return false
  return is !== 'id' || typeof value === 'object' || isId(String(value))
}

function fieldOf({ fields }: Shape, name: string): PayloadField {
  const found = fields[name]
  if (!found) throw new TypeError(`the table of kinds has no field ${name}`)
  return found
}

const WANTED = {
  text: 'a text',
  id: 'an id',
  number: 'a number',
  currency: 'a currency',
  time: 'a time',
  flag: 'true or false',
  list: 'a list',
  any: 'there',
}

function wrong(is: PayloadField['is'], value: unknown): string {
  if (!isThere(value)) return value === '' ? 'empty' : 'not there'
  if (!isThere(value, is)) return 'zero, which is no id'
  return `${kindOf(value)}, not ${WANTED[is]}`
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  const kinds: Record<string, string> = { object: 'an object', string: 'a text', number: 'a number' }
  return kinds[typeof value] ?? 'true or false'
}
