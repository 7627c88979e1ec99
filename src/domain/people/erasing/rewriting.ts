import { booksIn, mapTexts } from './books.ts'
import { meetsAny } from './identities.ts'
import { holdsMore, type Needle, needlesOf, withoutNeedles } from './needles.ts'
import type { IsLinked, IsOfAnother } from './person.ts'
import { emailOf, type Identities, identitiesOf, type PersonNode, personNodesOf, swapPersonal } from './person-nodes.ts'
import { standIn } from './pseudonym.ts'

/** Whoever is forgotten: by what rows tell who it is, and the random word that stands instead. */
export interface Forgotten extends Identities {
  needles: readonly Needle[]
  /** What is of nobody else (`Person`). */
  alone: Identities
  isOfAnother: IsOfAnother
  isLinked: IsLinked
  token: string
}

/** The texts by which the person is looked for in rows and bytes of anybody: those that are of nobody else. Pure. */
export function sureTexts({ needles }: Pick<Forgotten, 'needles'>): string[] {
  return needles.filter(({ isSure }) => isSure).map(({ text }) => text)
}

/**
 * JSON with the person taken out: of a row that is the person's, or of any other. The same text where nothing is in it. `isOfBooks`:
 * it speaks of goods and stores alone. What is no JSON, or is nested too deep to be walked, is rewritten as text. Pure.
 */
export function rewriteJson(text: string, kind: string, who: Forgotten, isOwn: boolean, isOfBooks = false): string {
  try {
    return rewriteParsed(text, kind, who, isOwn, isOfBooks)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    return withoutNeedles(text, who.needles, who.token, isOwn)
  }
}

function rewriteParsed(text: string, kind: string, who: Forgotten, isOwn: boolean, isOfBooks: boolean): string {
  const parsed = parse(text)
  let isChanged = false
  const swapped = swapPersonal(kind, parsed, (value, { sort }, node) => {
    if (isOwn ? who.isOfAnother(node) : !meetsAny(identitiesOf(node), who.alone)) return value
    isChanged = true
    return standIn(who.token, sort, value)
  })
  const others = personNodesOf(kind, parsed).filter(who.isOfAnother)
  const theirs = placesAndNamesOf(others)
  const books = booksIn(parsed, isOfBooks)
  const needles = needlesBeside(who, others)
  // The books keep what is only called as the person is, in a row of theirs; anywhere else nobody can tell whose it is.
  const staying = [...theirs, ...books].filter((one) => holdsMore(one, needles, !isOwn))
  const names = new Set(theirs)
  const without = mapTexts(
    swapped,
    (value, isBooks) => {
      // A name that holds the person's is another's: Mari Anne Berg is not Anne Berg.
      if (isBooks || names.has(value.trim())) return value
      const left = withoutNeedles(value, needles, who.token, isOwn, staying)
      isChanged ||= left !== value
      return left
    },
    isOfBooks,
  )
  return isChanged ? JSON.stringify(without) : text
}

/** The person's texts without those that are of somebody else in this row: a family lives at one address, and two have one name. */
function needlesBeside(who: Forgotten, others: readonly PersonNode[]): readonly Needle[] {
  if (others.length === 0) return who.needles
  const theirs = new Set(needlesOf(others.flatMap(({ values }) => values)).map(({ text }) => text))
  return who.needles.filter(({ text }) => !theirs.has(text))
}

/** The names and addresses of people, as they stand in one field. Pure. */
export function placesAndNamesOf(nodes: readonly PersonNode[]): string[] {
  return nodes.flatMap(({ values }) =>
    values.flatMap(({ sort, value }) => (sort === 'name' || sort === 'address' ? [value] : [])),
  )
}

/** A name such as `customer:1007/order:A1` without the ids of the person, however short they are. Pure. */
export function withoutIds(text: string, { customerIds, emails, token }: Forgotten): string {
  return text
    .split(/([:/])/)
    .map((part) => {
      const { before, id } = partOf(part)
      return [...customerIds, ...emails].includes(id) ? `${before}${standIn(token, 'customer', id)}` : part
    })
    .join('')
}

/** A part of a name, and the id that it says: the platform's own are called so beside those of own systems. */
function partOf(part: string): { before: string; id: string } {
  const [before = ''] = PLATFORMS_OWN.exec(part) ?? []
  return { before, id: decoded(part.slice(before.length)) }
}

const PLATFORMS_OWN = /^customerId(?:=|%3D)/

/** What a name may say somebody by: its parts as they are compared. Pure. */
export function identitiesInName(name: string): Identities {
  const parts = name.split(/[:/]/).map((part) => partOf(part).id)
  return { customerIds: parts, emails: parts.filter((part) => part.includes('@')).map(emailOf), phones: [] }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Numbers stay as they were written: 100.00 is no other amount than it was. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function parse(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value) as (key: string, value: unknown) => unknown)
}
