/** A stretch of a text. */
export interface Stretch {
  from: number
  to: number
}

/** Signs that join two words to one: of an address (`kari.ola@example.com`), and of a name (`mari-anne`). */
const JOINS = { address: '-.+_', name: '-', nothing: '' }

/** Signs as JSON and addresses of the web write them: `\n`, `\u00e5`, `%20`. A letter that is no ASCII begins with `%8` or above. */
const ENDS = /(?:%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[bfnrt])$/i
const BEGINS = /^(?:%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[bfnrt])/i
const LONGEST_ESCAPE = 6

/** No address is longer, and no word that is one. */
const LONGEST = 254

/** One sign of a text, and how long it is there. */
interface Sign {
  sign: string
  length: number
}

/**
 * The word, number, name or address that a stretch of a text is, or is a part of. `isOwn`: the text is known to be of the person
 * whose stretch it is, so that a hyphen joins it to no other name. Pure.
 */
export function wordAround(text: string, { from, to }: Stretch, isOwn: boolean): Stretch {
  const part = text.slice(from, to)
  const joins = /@|%40/.test(part) ? JOINS.address : isOwn || /^[\d+]|\d$/.test(part) ? JOINS.nothing : JOINS.name
  let [begin, end] = [from, to]
  for (let edge = text[from], more = 1; more > 0 && from - begin < LONGEST; edge = LETTER) {
    more = lengthOfMore(edge, (passed) => signBefore(text, begin - passed), joins)
    begin -= more
  }
  for (let edge = text[to - 1], more = 1; more > 0 && end - to < LONGEST; edge = LETTER) {
    more = lengthOfMore(edge, (passed) => signAfter(text, end + passed), joins)
    end += more
  }
  return { from: begin, to: end }
}

/** What a walk has passed is a letter or a digit, each time. */
const LETTER = 'a'

/** How many signs the word goes on with; 0: it ends here. */
function lengthOfMore(edge: string | undefined, signAt: (passed: number) => Sign, joins: string): number {
  if (!isOfWord(edge ?? '')) return 0
  const next = signAt(0)
  if (isOfWord(next.sign)) return next.length
  if (next.sign === '' || !joins.includes(next.sign)) return 0
  const behind = signAt(next.length)
  return isOfWord(behind.sign) ? next.length + behind.length : 0
}

function signBefore(text: string, at: number): Sign {
  const [written] = ENDS.exec(text.slice(Math.max(0, at - LONGEST_ESCAPE), Math.max(0, at))) ?? []
  return written === undefined ? { sign: text[at - 1] ?? '', length: 1 } : meantBy(written)
}

function signAfter(text: string, at: number): Sign {
  const [written] = BEGINS.exec(text.slice(at, at + LONGEST_ESCAPE)) ?? []
  return written === undefined ? { sign: text[at] ?? '', length: 1 } : meantBy(written)
}

function meantBy(written: string): Sign {
  const { length } = written
  if (!/^(?:%|\\u)/i.test(written)) return { sign: ' ', length }
  const code = Number.parseInt(written.replace(/^(?:%|\\u)/i, ''), 16)
  // Of a letter in several bytes, one byte says enough.
  return { sign: written.startsWith('%') && code >= 0x80 ? LETTER : String.fromCharCode(code), length }
}

function isOfWord(sign: string): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(sign)
}
