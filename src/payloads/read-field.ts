import { PermanentError } from '../domain/values/errors.ts'
import { field, flag, text } from '../domain/values/field.ts'
import { idText } from '../domain/values/id.ts'
import { type Decimal, parseDecimal } from '../domain/values/money.ts'
import type { KnownField, Shape } from './known/from.ts'

/**
 * Reads a payload by the table of what is known of its kind: no other place names the fields of a payload that nobody shows.
 * What cannot be read is null.
 */
export interface FieldReader {
  text(name: string): string | null
  decimal(name: string): Decimal | null
  /** Whether it says true. */
  flag(name: string): boolean
  /** A reader for each row; none where there is no list. */
  list(name: string): FieldReader[]
}

export function fieldsOf(shape: Shape, payload: unknown, prefix = ''): FieldReader {
  const known = (name: string) => {
    const found = shape.fields[`${prefix}${name}`]
    if (!found) throw new TypeError(`the table of kinds has no field ${prefix}${name}`)
    return found
  }
  return {
    text(name) {
      const { is, names } = known(name)
      const read = is === 'id' ? idText : text
      for (const path of names) {
        const found = read({ value: valueAt(payload, path) }, 'value')
        if (found !== null) return found
      }
      return known(name).otherwise?.(payload) ?? null
    },
    decimal(name) {
      for (const path of known(name).names) {
        const found = decimalOf(valueAt(payload, path))
        if (found !== null) return found
      }
      return null
    },
    flag: (name) => known(name).names.some((path) => flag({ said: valueAt(payload, path) }, 'said') === true),
    list: (name) => rowsOf(known(name), payload).map((row) => fieldsOf(shape, row, `${prefix}${name}.`)),
  }
}

/** The rows of a list, wherever it stands. */
export function rowsOf({ names }: Pick<KnownField, 'names'>, payload: unknown): unknown[] {
  for (const path of names) {
    const found = valueAt(payload, path)
    if (Array.isArray(found)) return found
  }
  return []
}

/** The value at a path (`store.posId`); undefined: none. */
export function valueAt(payload: unknown, path: string): unknown {
  if (!path.includes('.')) return field(payload, path)
  return path.split('.').reduce<unknown>((value, name) => field(value, name), payload)
}

/** Whether what stands there can be read as what the field is. */
export function canRead(is: KnownField['is'], value: unknown): boolean {
  switch (is) {
    case 'text':
      return text({ value }, 'value') !== null
    case 'id':
      return idText({ value }, 'value') !== null
    case 'number':
      return decimalOf(value) !== null
    case 'currency':
      return /^[A-Za-z]{3}$/.test(text({ value }, 'value') ?? '')
    case 'time':
      return isTime(text({ value }, 'value') ?? '')
    case 'flag':
      return flag({ value }, 'value') !== null
    case 'list':
      return Array.isArray(value)
    case 'any':
      return value !== undefined && value !== null
  }
}

function isTime(written: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:$|[T ])/.test(written) && !Number.isNaN(Date.parse(written))
}

function decimalOf(value: unknown): Decimal | null {
  try {
    return parseDecimal(value)
  } catch {
    return null
  }
}

/** A part that no books rest on is left out where it cannot be read. */
export function orNothing<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}
