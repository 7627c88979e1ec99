import { PermanentError } from '../../domain/values/errors.ts'
import { field, flagOf, idOf, list, type Texts, text, textOf, field as valueIn } from '../../domain/values/field.ts'
import { type Decimal, decimalOrNull } from '../../domain/values/money.ts'

/** The only place that names undocumented fields. Unreadable: null. */
export interface FieldReader {
  text(name: string): string | null
  texts<Name extends string>(...names: readonly Name[]): Texts<Name>
  decimal(name: string): Decimal | null
  flag(name: string): boolean
  list(name: string): FieldReader[]
}

export function fieldsOf(shape: Shape, payload: unknown, prefix = ''): FieldReader {
  const known = (name: string) => fieldOf(shape, `${prefix}${name}`)
  const text = (name: string) => readText(known(name), payload)
  return {
    text,
    texts: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, text(name)])) as Texts<Name>,
    decimal(name) {
      for (const path of known(name).names) {
        const found = decimalOrNull(valueAt(payload, path))
        if (found !== null) return found
      }
      return null
    },
    flag: (name) => known(name).names.some((path) => flagOf(valueAt(payload, path)) === true),
    list: (name) => rowsOf(known(name), payload).map((row) => fieldsOf(shape, row, `${prefix}${name}.`)),
  }
}

export function fieldOf({ fields }: Shape, name: string): PayloadField {
  const found = fields[name]
  if (!found) throw new TypeError(`the table of kinds has no field ${name}`)
  return found
}

/** Null: unreadable, or no field of its kind. */
export function readText(field: PayloadField | undefined, payload: unknown): string | null {
  if (field === undefined) return null
  const { is, names, otherwise } = field
  const read = is === 'id' ? idOf : textOf
  for (const path of names) {
    const found = read(valueAt(payload, path))
    if (found !== null) return found
  }
  return otherwise?.(payload) ?? null
}

export function rowsOf({ names }: Pick<PayloadField, 'names'>, payload: unknown): unknown[] {
  for (const path of names) {
    const found = valueAt(payload, path)
    if (Array.isArray(found)) return found
  }
  return []
}

export function valueAt(payload: unknown, path: string): unknown {
  if (!path.includes('.')) return field(payload, path)
  return path.split('.').reduce<unknown>((value, name) => field(value, name), payload)
}

export function canRead(is: PayloadField['is'], value: unknown): boolean {
  switch (is) {
    case 'any':
      return value !== undefined && value !== null
    case 'list':
      return Array.isArray(value)
    case 'number':
      return decimalOrNull(value) !== null
    case 'flag':
      return flagOf(value) !== null
    case 'id':
      return idOf(value) !== null
    case 'text':
      return textOf(value) !== null
    case 'currency':
      return CURRENCY.test(textOf(value) ?? '')
    case 'time':
      return DATED.test(textOf(value) ?? '') && !Number.isNaN(Date.parse(textOf(value) ?? ''))
  }
}

const CURRENCY = /^[A-Za-z]{3}$/
const DATED = /^\d{4}-\d\d-\d\d(?:$|[T ])/

export function orNothing<Read>(read: () => Read | null): Read | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof PermanentError) return null
    throw error
  }
}

export function currencyOfPayments(sale: unknown): string | null {
  const payments = list(sale, 'paymentLines')
  const currencies = new Set(payments.map((payment) => text(payment, 'currency')?.toUpperCase() ?? null))
  const [only = null] = currencies
  return currencies.size === 1 && !payments.some(isForeign) ? only : null
}

function isForeign(payment: unknown): boolean {
  if ((field(payment, 'currencyTendered') ?? null) === null) return false
  return decimalOrNull(field(payment, 'currencyTendered')) !== decimalOrNull(field(payment, 'amount'))
}

export type FieldProvenance = WrittenFrom | 'schema' | 'config'
type WrittenFrom = 'spec' | 'public' | 'guess'

export interface PayloadField {
  names: readonly [string, ...string[]]
  is: 'text' | 'id' | 'number' | 'currency' | 'time' | 'flag' | 'list' | 'any'
  from: WrittenFrom
  nearest?: readonly string[]
  otherwise?: (payload: unknown) => string | null
  inTurn?: true
}

export interface Shape {
  shownBy: string
  fields: Readonly<Record<string, PayloadField>>
  /** One of each group must be readable (per row). */
  essentials: readonly (readonly string[])[]
  ifThere?: readonly string[]
  misleading?: Misleading
}

export interface Misleading {
  list: string | null
  name: string
  value?: unknown
  unless?: string
  fields: readonly [string, ...string[]]
  because: string
}

export function locationOf(field: string): { list: string | null; name: string } {
  const end = field.lastIndexOf('.')
  return end < 0 ? { list: null, name: field } : { list: field.slice(0, end), name: field.slice(end + 1) }
}

export function knownFrom({ from }: PayloadField, named: boolean, inSchema: boolean): FieldProvenance {
  if (named) return 'config'
  return from === 'guess' && inSchema ? 'schema' : from
}

/** `quantity`, `level=stockLevel` (the hub's name, the payload's), `at=updatedDateTime|createdDateTime`, `items~countDetails` (tilde: in the nearest documented record). */
export function fields(from: WrittenFrom, written: Partial<Record<PayloadField['is'], string>>): Shape['fields'] {
  const named = (Object.entries(written) as [PayloadField['is'], string][]).flatMap(([is, all]) =>
    all.split(' ').map((one): [string, PayloadField] => {
      const [own = '', near] = one.split('~')
      const [key = '', given = locationOf(own).name] = own.split('=')
      const nearest = near?.split('|')
      const names = [...new Set([...given.split('|'), ...(nearest ?? [])])] as [string, ...string[]]
      return [key, { names, is, from, ...(nearest && { nearest }) }]
    }),
  )
  return Object.fromEntries(named)
}

export function groups(written: string): string[][] {
  return written.split(' ').map((group) => group.split('|'))
}

export function guessed({ fields, ...rest }: Shape, like: string): Shape {
  return {
    ...rest,
    shownBy: `no document; read like ${like}`,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...field, from: 'guess', ...(field.names.length > 1 && { inTurn: true }) },
      ]),
    ),
  }
}

export function nestedIn(outer: string, fields: Shape['fields']): Shape['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]) => {
      if (key.includes('.')) return [key, field]
      const [first, ...rest] = field.names.map((name) => `${outer}.${name}`)
      const { otherwise } = field
      const within = otherwise && { otherwise: (payload: unknown) => otherwise(valueIn(payload, outer)) }
      return [key, { ...field, names: [first ?? '', ...rest], ...within }]
    }),
  )
}
