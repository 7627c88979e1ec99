import { phoneOf } from '../phone.ts'
import { isPersonsKind, isPersonsObject, type PersonalSort, personalFieldOf } from './personal-fields.ts'

/** A personal value of a payload, and what it is called there. */
export interface PersonalValue {
  name: string
  sort: PersonalSort
  value: string
}

/** Everything that one object of a payload says of one person, its inner objects with it. */
export interface PersonNode {
  values: PersonalValue[]
}

/** What a person can be told by: each in the one way that it is compared. */
export interface Identities {
  customerIds: string[]
  emails: string[]
  phones: string[]
}

/** Called with each personal value; what it returns stands there instead. */
export type Swap = (value: string | number, found: PersonalValue, node: PersonNode) => unknown

const DEEPEST = 32
const PREFIXES = new Set(['phonecountryprefix', 'phoneprefix', 'phonecountrycode'])

/** The persons that a payload speaks of. Pure. */
export function personNodesOf(kind: string, payload: unknown): PersonNode[] {
  const nodes = new Set<PersonNode>()
  swapPersonal(kind, payload, (value, _found, node) => {
    nodes.add(node)
    return value
  })
  return [...nodes]
}

/** The payload with other values in its personal fields; all else is as it was. Pure. */
export function swapPersonal(kind: string, payload: unknown, swap: Swap): unknown {
  const root: PersonNode = { values: [] }
  return swapIn(payload, { own: isPersonsKind(kind) ? root : null, loose: root, name: '', depth: 0 }, swap)
}

/** Where a value of a payload stands. */
interface Standing {
  /** The person whose object this is, if it is one's. */
  own: PersonNode | null
  /** Whom fields belong to that stand in nobody's object. */
  loose: PersonNode
  /** What the object, or its list, is called. */
  name: string
  depth: number
}

function swapIn(value: unknown, { own, loose, name: object, depth }: Standing, swap: Swap): unknown {
  if (!isObject(value) || depth > DEEPEST) return value
  // The lines of a list are not of one person.
  if (Array.isArray(value))
    return value.map((one) => swapIn(one, { own, loose: own ?? { values: [] }, name: object, depth: depth + 1 }, swap))
  const node = own ?? loose
  const fields = Object.entries(value)
  const found = fields.flatMap(([name, inner]) => {
    const personal = personalFieldOf(name, own !== null, object)
    const text = textOf(inner)
    return personal === null || text === '' ? [] : [{ name, sort: sortOf(personal.sort, text), value: text }]
  })
  node.values.push(...found, ...wholePhonesOf(found, value as Record<string, unknown>))
  return Object.fromEntries(
    fields.map(([name, inner]) => {
      if (isObject(inner)) {
        const isPersons = isPersonsObject(name)
        if (isPersons === false) return [name, inner]
        const its = isPersons && own === null ? { values: [] } : own
        return [name, swapIn(inner, { own: its, loose, name, depth: depth + 1 }, swap)]
      }
      const personal = found.find((one) => one.name === name)
      return [name, personal ? swap(inner as string | number, personal, node) : inner]
    }),
  )
}

/** A number that is kept as it was written is frozen, and no object of the payload. */
export function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object' && Object.getPrototypeOf(value) !== null
}

/** A receipt is sent to an address or a number, in one field. */
function sortOf(sort: PersonalSort, value: string): PersonalSort {
  if (sort !== 'text' || /\s/.test(value)) return sort
  if (value.includes('@')) return 'email'
  return /^\+?\d{5,15}$/.test(value) ? 'phone' : sort
}

/** Numbers with the prefix of their country, which stands beside them. */
function wholePhonesOf(found: readonly PersonalValue[], beside: Record<string, unknown>): PersonalValue[] {
  const prefix = Object.entries(beside).find(([name]) => PREFIXES.has(name.toLowerCase()))
  if (prefix === undefined) return []
  return found.flatMap(({ name, sort, value }) => {
    const whole = sort === 'phone' ? phoneOf(textOf(prefix[1]), value) : null
    return whole === null || whole === value ? [] : [{ name, sort, value: whole }]
  })
}

/** What a person of a payload can be told by. Pure. */
export function identitiesOf({ values }: PersonNode): Identities {
  const of = (sort: PersonalSort) => values.filter((one) => one.sort === sort)
  return {
    customerIds: unique(
      of('customer')
        .filter(isId)
        .map(({ value }) => value),
    ),
    emails: unique(of('email').map(({ value }) => emailOf(value))),
    phones: unique(of('phone').map(({ value }) => phoneOf(null, value) ?? '')),
  }
}

/** The first names that somebody is called by. */
export function firstNamesOf({ values }: PersonNode): string[] {
  return values.flatMap(({ name, value }) => (name.toLowerCase() === 'firstname' ? [value] : []))
}

/** An address as it is compared. */
export function emailOf(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

/** Numbers of cards and of taxes are a person's, but name nobody elsewhere; whose ids plain numbers are, nobody says. */
function isId({ name }: PersonalValue): boolean {
  return !['cardno', 'taxid', 'orgnum', 'number'].includes(name.toLowerCase())
}

/** A customer whom the till does not know has the id 0, or a GUID of nothing but zeros. */
function textOf(value: unknown): string {
  if (typeof value === 'number') return value === 0 || !Number.isFinite(value) ? '' : String(value)
  return typeof value === 'string' && !/^[0-]+$/.test(value.trim()) ? value.trim() : ''
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ''))]
}
