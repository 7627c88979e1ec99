import { field as valueIn } from '../../../domain/values/field.ts'

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
