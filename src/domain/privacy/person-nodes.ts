import { isId } from '../values/field.ts'
import { phoneOf } from '../values/phone.ts'
import {
  idSortOf,
  isPersonsKind,
  isPersonsObject,
  mayHoldPersons,
  type PersonalDataType,
  personalFieldOf,
  plainName,
} from './personal-fields.ts'

export interface PersonalValue {
  name: string
  sort: PersonalDataType
  value: string
}

export interface PersonNode {
  values: PersonalValue[]
}

export type Swap = (value: string | number, found: PersonalValue, node: PersonNode) => unknown

const DEEPEST = 32
export const PHONE_PREFIXES = new Set(['phonecountryprefix', 'phoneprefix', 'phonecountrycode'])

export function personNodesOf(kind: string, payload: unknown): PersonNode[] {
  const nodes = new Set<PersonNode>()
  swapPersonal(kind, payload, (value, _found, node) => {
    nodes.add(node)
    return value
  })
  return [...nodes]
}

export function swapPersonal(kind: string, payload: unknown, swap: Swap): unknown {
  const root: PersonNode = { values: [] }
  const own = isPersonsKind(kind) ? root : null
  return swapIn(payload, { own, loose: root, isNobodys: false, name: '', depth: 0 }, swap)
}

interface NodePlace {
  own: PersonNode | null
  loose: PersonNode
  /** A place's object: no field of it is personal, but an inner object may be. */
  isNobodys: boolean
  name: string
  depth: number
}

function swapIn(value: unknown, at: NodePlace, swap: Swap): unknown {
  const { own, loose, isNobodys, name: object, depth } = at
  if (!isObject(value) || depth > DEEPEST) return value
  // The lines of a list are not of one person.
  if (Array.isArray(value))
    return value.map((one) => swapIn(one, { ...at, loose: own ?? { values: [] }, depth: depth + 1 }, swap))
  const node = own ?? loose
  const fields = Object.entries(value)
  const found = fields.map(([name, inner]) => {
    const personal = isNobodys ? null : personalFieldOf(name, own !== null, object)
    return personal === null ? [] : [inner].flat().map((one) => personalIn(name, personal.sort, one))
  })
  const all = found.flat().filter((one) => one !== null)
  node.values.push(...all, ...wholePhonesOf(all, value as Record<string, unknown>))
  return Object.fromEntries(
    fields.map(([name, inner], nth) => {
      const swapped = (one: unknown, index: number) => {
        const personal = found[nth]?.[index] ?? null
        return personal ? swap(one as string | number, personal, node) : swapWithin(name, one, at, swap)
      }
      const isList = Array.isArray(inner) && found[nth]?.some((one) => one !== null)
      return [name, isList ? inner.map(swapped) : swapped(inner, 0)]
    }),
  )
}

function swapWithin(name: string, inner: unknown, { own, loose, isNobodys, depth }: NodePlace, swap: Swap): unknown {
  if (!isObject(inner)) return inner
  const isPersons = isPersonsObject(name)
  const within = { own, loose, isNobodys, name, depth: depth + 1 }
  if (isPersons === false)
    return mayHoldPersons(name) ? swapIn(inner, { ...within, own: null, isNobodys: true }, swap) : inner
  if (isPersons === null || own !== null) return swapIn(inner, within, swap)
  const theirs = (one: unknown) => swapIn(one, { ...within, own: { values: [] }, isNobodys: false }, swap)
  return Array.isArray(inner) ? inner.map(theirs) : theirs(inner)
}

function personalIn(name: string, sort: PersonalDataType, value: unknown): PersonalValue | null {
  const text = textOf(value)
  return text === '' ? null : { name, sort: sortOf(sort, text), value: text }
}

/** Numbers kept as written are frozen. */
export function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) !== null
}

function sortOf(sort: PersonalDataType, value: string): PersonalDataType {
  if (sort !== 'text' || /[\s<>]/.test(value)) return sort
  if (value.includes('@')) return 'email'
  return /^\+?\d{5,15}$/.test(value) ? 'phone' : sort
}

function wholePhonesOf(found: readonly PersonalValue[], beside: Record<string, unknown>): PersonalValue[] {
  const prefix = Object.entries(beside).find(([name]) => PHONE_PREFIXES.has(plainName(name)))
  if (prefix === undefined) return []
  return found.flatMap(({ name, sort, value }) => {
    const whole = sort === 'phone' ? phoneOf(textOf(prefix[1]), value) : null
    return whole === null || whole === value ? [] : [{ name, sort, value: whole }]
  })
}

function textOf(value: unknown): string {
  const written = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  return typeof written === 'string' && isId(written) ? written.trim() : ''
}

export interface Identifiers {
  customerIds: string[]
  /** One may be another customer's id on the platform. */
  extIds: string[]
  emails: string[]
  phones: string[]
}

const NAMES = ['customerIds', 'extIds', 'emails', 'phones'] as const

export function noIdentifiers(): Identifiers {
  return { customerIds: [], extIds: [], emails: [], phones: [] }
}

export function identifiersOf({ values }: PersonNode): Identifiers {
  const of = (sort: PersonalDataType) => values.filter((one) => one.sort === sort)
  const ids = (whose: 'platform' | 'external') =>
    unique(of('customer').flatMap(({ name, value }) => (idSortOf(name) === whose ? [value] : [])))
  return {
    customerIds: ids('platform'),
    extIds: ids('external'),
    emails: unique(of('email').map(({ value }) => emailOf(value))),
    phones: unique(of('phone').map(({ value }) => phoneOf(null, value) ?? '')),
  }
}

export function emailOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

export function commonOf(one: readonly string[], other: readonly string[]): string | undefined {
  const known = other.map((value) => value.toLowerCase())
  return one.find((value) => known.includes(value.toLowerCase()))
}

export function meetsAny(one: Identifiers, other: Identifiers): boolean {
  return NAMES.some((name) => commonOf(one[name], other[name]) !== undefined)
}

export function countOf(its: Identifiers): number {
  return NAMES.reduce((sum, name) => sum + its[name].length, 0)
}

export function addTo(known: Identifiers, more: Identifiers): void {
  for (const name of NAMES) known[name] = unique([...known[name], ...more[name]])
}

export function without(its: Identifiers, others: readonly Identifiers[]): Identifiers {
  const left = noIdentifiers()
  for (const name of NAMES)
    left[name] = its[name].filter((value) => !others.some((one) => commonOf([value], one[name]) !== undefined))
  return left
}

export function singly(its: Identifiers): Identifiers[] {
  return NAMES.flatMap((name) => its[name].map((value) => ({ ...noIdentifiers(), [name]: [value] })))
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ''))]
}
