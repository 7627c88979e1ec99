import {
  emailOf,
  type Identifiers,
  identifiersOf,
  isObject,
  meetsAny,
  noIdentifiers,
  type PersonalValue,
  personNodesOf,
  swapPersonal,
} from './person-nodes.ts'
import { isFreeText, isPersonsKind, type PersonalDataType } from './personal-fields.ts'
import type { Person } from './resolution.ts'

interface Mention {
  text: string
  sort: PersonalDataType
}

export interface Erasing extends Identifiers, Pick<Person, 'alone' | 'isOfAnother' | 'isLinked'> {
  /** Exclusive identifiers, removed from rows of anyone. */
  keys: readonly string[]
  mentions: readonly Mention[]
  token: string
}

const SORTS_OF_MENTIONS: readonly PersonalDataType[] = ['name', 'email', 'phone', 'address', 'customer']
const SHORTEST_MENTION = 3

export function mentionsOf(values: readonly PersonalValue[]): Mention[] {
  const found = values
    .filter(({ sort, value }) => SORTS_OF_MENTIONS.includes(sort) && value.length >= SHORTEST_MENTION)
    .map(({ value, sort }) => ({ text: value, sort }))
  return [...new Map(found.map((one) => [one.text, one])).values()].sort((a, b) => b.text.length - a.text.length)
}

/** JSON without the person. `isOwn`: the row is theirs. */
export function rewriteJson(text: string, kind: string, who: Erasing, isOwn: boolean): string {
  try {
    return rewriteParsed(text, kind, who, isOwn)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return isOwn ? withoutMentions(text, who) : withoutKeys(text, who)
  }
}

function rewriteParsed(text: string, kind: string, who: Erasing, isOwn: boolean): string {
  const parsed = parse(text)
  let isChanged = false
  const isBesideOthers = personNodesOf(kind, parsed).some(who.isOfAnother)
  const swapped = swapPersonal(kind, parsed, (value, { sort }, node) => {
    const isTheirs = isOwn ? !who.isOfAnother(node) : meetsAny(identifiersOf(node), who.alone)
    // A free text beside several people is of them all.
    if (!isTheirs || (sort === 'text' && isBesideOthers)) return value
    isChanged = true
    return pseudonymize(who.token, sort, value)
  })
  const left = mapTexts(swapped, (value, name) => {
    const isText = isFreeText(name)
    const without = isText && isOwn ? withoutMentions(value, who) : withoutKeys(value, who, isText)
    isChanged ||= without !== value
    return without
  })
  return isChanged ? JSON.stringify(left) : text
}

export function mapTexts(value: unknown, map: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return map(value, name)
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map, name))
  return mapFields(value, (inner, one) => mapTexts(one, map, inner))
}

export function withoutKeys(text: string, { keys, token }: Erasing, withDigits = true): string {
  const those = withDigits ? keys : keys.filter((key) => !/^\d+$/.test(key))
  const mentions = those.map((key) => ({ text: key, sort: sortOfKey(key) }))
  return replaced(text, mentions, token)
}

export function withoutMentions(text: string, who: Erasing): string {
  return withoutKeys(replaced(text, who.mentions, who.token), who)
}

function sortOfKey(key: string): PersonalDataType {
  if (/@|%40/.test(key)) return 'email'
  return /^\+?[\d\s]+$/.test(key) ? 'phone' : 'customer'
}

/** `ida.zeb@example.com` and `zeb@example.com.au` are other addresses than `zeb@example.com`. */
const BEFORE = String.raw`(?<![\p{L}\p{N}]|[\p{L}\p{N}][-+._])`
const AFTER = String.raw`(?![\p{L}\p{N}]|[-._@][\p{L}\p{N}])`

function replaced(text: string, mentions: readonly Mention[], token: string): string {
  const small = text.toLowerCase()
  const there = mentions.filter((one) => small.includes(one.text.toLowerCase()))
  if (there.length === 0) return text
  const sorts = new Map(there.map((one) => [one.text.toLowerCase(), one.sort]))
  const any = there.map((one) => RegExp.escape(one.text)).join('|')
  return text.replaceAll(new RegExp(`${BEFORE}(?:${any})${AFTER}`, 'giu'), (found) =>
    String(pseudonymize(token, sorts.get(found.toLowerCase()) ?? 'name', found)),
  )
}

export function withoutIds(text: string, { customerIds, extIds, emails, token }: Erasing): string {
  const known = [...customerIds, ...extIds, ...emails]
  return text
    .split(/([:/])/)
    .map((part) => {
      const { before, id } = partOf(part)
      return known.includes(id) ? `${before}${pseudonymize(token, 'customer', id)}` : part
    })
    .join('')
}

const PLATFORMS_OWN = /^customerId(?:=|%3D)/

/** The platform's own ids are prefixed in names. */
function partOf(part: string): { before: string; id: string } {
  const [before = ''] = PLATFORMS_OWN.exec(part) ?? []
  const written = part.slice(before.length)
  try {
    return { before, id: decodeURIComponent(written) }
  } catch {
    return { before, id: written }
  }
}

export function identifiersInName(name: string): Identifiers {
  const parts = name.split(/[:/]/).map((part) => partOf(part).id)
  const emails = parts.filter((part) => part.includes('@')).map(emailOf)
  return { ...noIdentifiers(), customerIds: parts, extIds: parts, emails }
}

/** Keeps 100.00 as written. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function parse(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value) as (key: string, value: unknown) => unknown)
}

/** Random, the same for one person everywhere. `token`: 8 hex digits. */
export function pseudonymOf(token: string): string {
  return `erased-${token}`
}

export function tokenIn(pseudonym: string): string {
  return pseudonym.slice(pseudonymOf('').length)
}

export function isPseudonymous(text: string): boolean {
  return /\berased-[0-9a-f]{8}\b/.test(text)
}

export function pseudonymize(token: string, sort: PersonalDataType, value: string | number): unknown {
  const digits = String(Number.parseInt(token, 16) % 100_000_000).padStart(8, '0')
  if (typeof value === 'number') return sort === 'trait' || sort === 'place' ? 0 : Number(`9${digits}`)
  if (value.trim() === '') return value
  switch (sort) {
    case 'email':
      return `${pseudonymOf(token)}@erased.invalid`
    case 'phone':
      return value.startsWith('+') ? `+99900${digits}` : `99900${digits}`
    case 'customer':
      return idInstead(token, digits, value)
    case 'trait':
      return ''
    case 'place':
      return 'erased'
    default:
      return pseudonymOf(token)
  }
}

function idInstead(token: string, digits: string, value: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return `e0000000-0000-4000-8000-0000${token}`
  return /^\d+$/.test(value) ? `9${digits}` : pseudonymOf(token)
}

const OTHER_PERSON = '(another person)'
const TOO_DEEP = '(nested too deep to tell whose it is)'
const STAFF = new Set(['salesperson', 'personname', 'personid', 'employee', 'cashier'])

/** JSON for its data subject, without what it says of others. Pure. */
export function handedOut(kind: string, payload: unknown, isOfAnother: Person['isOfAnother']): unknown {
  try {
    const left = isPersonsKind(kind) ? payload : withoutPartsOfOthers(payload, isOfAnother)
    return swapPersonal(kind, withoutStaff(left), (value, { sort }, node) =>
      sort !== 'text' && isOfAnother(node) ? OTHER_PERSON : value,
    )
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    throw error
  }
}

function withoutPartsOfOthers(value: unknown, isOfAnother: Person['isOfAnother']): unknown {
  const isOthers = (part: unknown) => {
    const nodes = personNodesOf('', part)
    return nodes.length > 0 && nodes.every(isOfAnother)
  }
  const without = (part: unknown) => withoutPartsOfOthers(part, isOfAnother)
  if (Array.isArray(value)) return value.map((part) => (isOthers(part) ? OTHER_PERSON : without(part)))
  return mapFields(value, (_name, inner) => without(inner))
}

function withoutStaff(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStaff)
  return mapFields(value, (name, inner) =>
    STAFF.has(name.toLowerCase()) && inner ? OTHER_PERSON : withoutStaff(inner),
  )
}

function mapFields(value: unknown, map: (name: string, inner: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(name, inner)]))
}
