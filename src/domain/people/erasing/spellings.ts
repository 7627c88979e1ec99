import { folded } from '../../values/folded.ts'
import { homeSpellings, internationalSpelling, splitPhone } from '../phone.ts'
import type { PersonalSort } from './personal-names.ts'

/**
 * The ways in which a text of a person may stand in others, folded: in capitals, in letters put together of two signs, and as JSON,
 * XML and addresses of the web write it. Pure.
 */
export function spellingsOf(text: string, sort: PersonalSort): Set<string> {
  const quoted = ["'", '’'].map((quote) => text.replaceAll(/['’]/g, quote))
  const plain = new Set([text, ...quoted, ...quoted.flatMap(composed), ...domainsOf(text, sort)])
  // Bytes are folded by ASCII alone: of other letters, small and large ones are texts of their own.
  const cased = [...plain]
    .filter((form) => form.isWellFormed())
    .flatMap((form) => [form, smallOf(form), form.toUpperCase()])
  const small = [...new Set(cased.map(folded))]
  return new Set([...small.flatMap(escapedAs), ...small.flatMap((form) => parted(form, sort))].map(folded))
}

/** Between words there may be two blanks, one that does not break, or the end of a line, which JSON writes otherwise. */
function parted(text: string, sort: PersonalSort): string[] {
  if ((sort !== 'name' && sort !== 'address') || !/\S\s\S/.test(text)) return []
  return [' ', '  ', '\u00a0', '\n', '\\n'].map((blank) => text.replaceAll(/\s+/g, blank))
}

function composed(text: string): string[] {
  return [text.normalize('NFC'), text.normalize('NFD')]
}

/** The text in small letters, as long as it was: one letter alone is two then. Pure. */
export function smallOf(text: string): string {
  return text.replaceAll('İ', 'I').toLowerCase()
}

/** The ways in which people and systems write a number, with its country and without. Pure. */
export function spellingsOfPhone(phone: string): string[] {
  const { number } = splitPhone(phone)
  const inGroups = [...internationalSpelling(phone), ...eightInGroups(number ?? '')]
  const digits = phone.replace(/^\+/, '')
  return [
    phone,
    digits,
    number ?? '',
    ...homeSpellings(phone),
    ...inGroups.flatMap((form) => [form, form.replaceAll(' ', '-'), form.replaceAll(' ', '.')]),
    ...(digits === phone ? [] : [`00${digits}`]),
  ]
}

/** Eight digits are written in pairs, in fours, or as `412 39 876`, whatever a country says. */
function eightInGroups(number: string): string[] {
  if (!/^\d{8}$/.test(number)) return []
  return [
    number.replaceAll(/\d\d(?=\d)/g, '$& '),
    number.replace(/^(\d{3})(\d\d)/, '$1 $2 '),
    number.replace(/^\d{4}/, '$& '),
  ]
}

/** An address as mail goes there: `ola@ås.no` to `ola@xn--s-1fa.no`. */
function domainsOf(text: string, sort: PersonalSort): string[] {
  const at = text.lastIndexOf('@')
  const site = `http://${text.slice(at + 1)}`
  return sort === 'email' && at > 0 && URL.canParse(site) ? [`${text.slice(0, at + 1)}${new URL(site).hostname}`] : []
}

/** As it is, and escaped: in addresses (a blank may be a plus), in JSON and in XML. */
function escapedAs(text: string): string[] {
  const ofWeb = encodeURIComponent(text)
  return [
    text,
    ofWeb,
    ofWeb.replaceAll('%20', '+'),
    JSON.stringify(text).slice(1, -1),
    escapedIn(JSON.stringify(text).slice(1, -1), (code) => `\\u${code.toString(16).padStart(4, '0')}`),
    ...XML.map((names) => text.replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign)),
    ...XML.map((names) => named(text).replaceAll(/[<>"']/g, (sign) => names[sign] ?? sign)),
    escapedIn(text, (code) => `&#${code};`),
    escapedIn(text, (code) => `&#x${code.toString(16)};`),
    inMail(text),
  ]
}

/** Quotes have several names. */
const XML: readonly Record<string, string>[] = [
  { '&': '&amp;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' },
]

function escapedIn(text: string, spell: (code: number) => string): string {
  return text.replaceAll(/[^ -~]/g, (sign) => spell(sign.charCodeAt(0)))
}

/** Letters as HTML calls them (`&eacute;`), where they have a name there. */
function named(text: string): string {
  return text.normalize('NFC').replaceAll(/[^ -~]|&/gu, (sign) => {
    const [letter = '', mark = '', ...more] = sign.normalize('NFD')
    const name = LETTERS[sign] ?? (more.length === 0 && MARKS[mark] ? `${letter}${MARKS[mark]}` : null)
    return name === null ? sign : `&${name};`
  })
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ '&': 'amp', æ: 'aelig', Æ: 'AElig', ø: 'oslash', Ø: 'Oslash', œ: 'oelig', Œ: 'OElig' },
  ...{ ß: 'szlig', ð: 'eth', Ð: 'ETH', þ: 'thorn', Þ: 'THORN', '’': 'rsquo', '\u00a0': 'nbsp' },
}
const MARKS: Readonly<Record<string, string>> = {
  ...{ '\u0300': 'grave', '\u0301': 'acute', '\u0302': 'circ', '\u0303': 'tilde' },
  ...{ '\u0308': 'uml', '\u030a': 'ring', '\u030c': 'caron', '\u0327': 'cedil' },
}

/** As mail has it (quoted-printable): `Zo=C3=AB`. */
function inMail(text: string): string {
  return text.replaceAll(/[^ -~]+/g, (signs) => encodeURIComponent(signs).replaceAll('%', '='))
}
