import { field as valueIn } from '../../domain/values/field.ts'
import type { WrittenFrom as From, KnownField, Shape } from './from.ts'

type Names = KnownField['names']

/* Short forms for the tables of what the hub reads. */

export function text(from: From, ...names: Names): KnownField {
  return { names, is: 'text', from }
}

export function id(from: From, ...names: Names): KnownField {
  return { names, is: 'id', from }
}

export function number(from: From, ...names: Names): KnownField {
  return { names, is: 'number', from }
}

export function currency(from: From, ...names: Names): KnownField {
  return { names, is: 'currency', from }
}

export function time(from: From, ...names: Names): KnownField {
  return { names, is: 'time', from }
}

export function flag(from: From, ...names: Names): KnownField {
  return { names, is: 'flag', from }
}

export function list(from: From, ...names: Names): KnownField {
  return { names, is: 'list', from }
}

export function any(from: From, ...names: Names): KnownField {
  return { names, is: 'any', from }
}

/** The field with the names of the nearest public record; names that it has not yet come last. */
export function near(field: KnownField, ...nearest: Names): KnownField {
  const [first, ...rest] = field.names
  const more = nearest.filter((name) => !field.names.includes(name))
  return { ...field, names: [first, ...rest, ...more], nearest }
}

/** The same names, in a payload that nobody shows. */
export function guessed({ fields, ...rest }: Shape, like: string): Shape {
  return {
    ...rest,
    shownBy: `nobody; read like ${like}`,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...field, from: 'guess', ...(field.names.length > 1 && { inTurn: true }) },
      ]),
    ),
  }
}

/** The same fields, each within another one (`sendReceipt.total`); those of rows stay where they are. */
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
