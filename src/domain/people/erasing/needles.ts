import { type Stretch, wordAround } from './alone.ts'
import type { PersonalValue } from './person-nodes.ts'
import { type PersonalSort, plainName } from './personal-names.ts'
import { standIn } from './pseudonym.ts'
import { smallOf, spellingsOf, spellingsOfPhone } from './spellings.ts'

/** A text of a person that is looked for in other texts, folded. */
export interface Needle {
  text: string
  sort: PersonalSort
  /** A text that says whom it is about wherever it stands. Others are taken out of what is known to be of the person, and nowhere else. */
  isSure: boolean
}

/** Shorter numbers and ids are also others'. */
const SHORTEST = { name: 3, email: 5, phone: 7, address: 6, customer: 8, place: 99, trait: 99, text: 99 } as const

/** A longer name is hardly anybody else's word. */
const RARE_NAME = 12

/** A whole name with fewer letters, counted in bytes, is what guests type who say none: "A B", "x x". */
const SHORTEST_WHOLE = 4

/** The texts by which a person is found in other texts, the longest first. Pure. */
export function needlesOf(values: readonly PersonalValue[]): Needle[] {
  const found = new Map<string, Needle>()
  const add = (text: string, sort: PersonalSort, isSure: boolean) => {
    for (const form of spellingsOf(text, sort)) {
      const before = found.get(form)
      if (form.length >= SHORTEST[sort])
        found.set(form, { text: form, sort, isSure: isSure || before?.isSure === true })
    }
  }
  for (const { value, sort } of values) {
    if (sort === 'phone') for (const form of spellingsOfPhone(value)) add(form, sort, true)
    else add(value, sort, isSureAlone(sort, value))
  }
  for (const name of wholeNamesOf(values)) add(name, 'name', true)
  return [...found.values()].sort((a, b) => b.text.length - a.text.length)
}

/**
 * The text with a person's texts taken out; the same text where there are none. `all`: it is known to be of the person; `staying`: words
 * in which a text of theirs is no find. Pure.
 */
export function withoutNeedles(
  text: string,
  needles: readonly Needle[],
  token: string,
  all: boolean,
  staying: readonly string[] = [],
): string {
  let left = text
  for (const needle of needles) if (all || needle.isSure) left = replaced(left, needle, token, { isOwn: all, staying })
  return left
}

/** Whether a word holds one of these texts, and more; `orIs`: or is one. Pure. */
export function holdsMore(word: string, needles: readonly Pick<Needle, 'text'>[], orIs = false): boolean {
  const small = smallOf(word)
  return needles.some(({ text }) => small.includes(text) && (orIs || small !== text))
}

function isSureAlone(sort: PersonalSort, value: string): boolean {
  if (sort === 'name') return value.length >= RARE_NAME
  if (sort === 'address') return /\d/.test(value) && value.length >= 8
  return sort === 'email' || sort === 'customer'
}

/** The first and the last name together, and names that stand in one field: of several words, which a company's may be as well. */
function wholeNamesOf(values: readonly PersonalValue[]): string[] {
  const of = (names: RegExp) => values.filter(({ name }) => names.test(plainName(name))).map(({ value }) => value)
  const whole = values.filter(({ name, sort, value }) => sort === 'name' && isWholeName(name) && /\S\s\S/.test(value))
  const together = of(/(?:firstname|givenname|forename)$/).flatMap((first) =>
    of(/(?:lastname|surname|familyname)$/).flatMap((last) => [
      `${first} ${last}`,
      `${last}, ${first}`,
      `${last} ${first}`,
    ]),
  )
  return [...together, ...whole.map(({ value }) => value)].filter(isLongEnough)
}

function isLongEnough(name: string): boolean {
  return Buffer.byteLength(name.replaceAll(/[^\p{L}\p{M}]/gu, '')) >= SHORTEST_WHOLE
}

function isWholeName(field: string): boolean {
  return /^(?:recipient|customer|contact|full|display)?name$/.test(plainName(field))
}

function replaced(
  text: string,
  { text: needle, sort }: Needle,
  token: string,
  { isOwn, staying }: { isOwn: boolean; staying: readonly string[] },
): string {
  let from = 0
  let made = ''
  for (const found of isOwn && sort === 'phone' ? groupedPlacesOf(text, needle) : placesOf(text, needle)) {
    const around = wordAround(text, found, isOwn)
    if (found.from < from || around.from !== found.from || around.to !== found.to) continue
    if (staying.some((word) => isWithin(text, found, word))) continue
    made += text.slice(from, found.from) + String(standIn(token, sort, needle))
    from = found.to
  }
  return from === 0 ? text : made + text.slice(from)
}

function isWithin(text: string, { from, to }: Stretch, word: string): boolean {
  return [...placesOf(text, word)].some((place) => place.from <= from && to <= place.to)
}

/** Where a number stands in a text of the person whose it is, in whatever groups: `4123 9876`, `(412) 39-876`. Pure. */
function* groupedPlacesOf(text: string, needle: string): Generator<Stretch> {
  if (!/^\d+$/.test(needle)) return yield* placesOf(text, needle)
  const digits = new RegExp([...needle].join('[\\s().\\-/]{0,2}'), 'g')
  for (const found of text.matchAll(digits)) yield { from: found.index, to: found.index + found[0].length }
}

/** Where a needle stands in a text, in whatever letters. Pure. */
export function* placesOf(text: string, needle: string): Generator<Stretch> {
  const [searched, wanted] = [smallOf(text), smallOf(needle)]
  for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + 1))
    yield { from: at, to: at + wanted.length }
}
