import { PermanentError } from '../../domain/values/errors.ts'
import { field, flagOf, idOf, list, type Texts, text, textOf } from '../../domain/values/field.ts'
import { type Decimal, decimalOrNull, readDecimal } from '../../domain/values/money.ts'
import type { PayloadField, Shape } from './known/from.ts'

/** The only place that names undocumented fields. Unreadable: null. */
export interface FieldReader {
  text(name: string): string | null
  texts<Name extends string>(...names: readonly Name[]): Texts<Name>
  decimal(name: string): Decimal | null
  flag(name: string): boolean
  list(name: string): FieldReader[]
}

export function fieldsOf(shape: Shape, payload: unknown, prefix = ''): FieldReader {
  const known = (name: string) => {
    const found = shape.fields[`${prefix}${name}`]
    if (!found) throw new TypeError(`the table of kinds has no field ${prefix}${name}`)
    return found
  }
  const readText = (name: string) => {
    const { is, names, otherwise } = known(name)
    const read = is === 'id' ? idOf : textOf
    for (const path of names) {
      const found = read(valueAt(payload, path))
      if (found !== null) return found
    }
    return otherwise?.(payload) ?? null
  }
  return {
    text: readText,
    texts: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, readText(name)])) as Texts<Name>,
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
  const [tendered, amount] = ['currencyTendered', 'amount'].map((name) => orNothing(() => readDecimal(payment, name)))
  return tendered !== amount
}
