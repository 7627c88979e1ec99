import { UserError } from '../../domain/values/errors.ts'
import { CLOSE_ARRAY, COMMA, isBlank, isClosing, OPEN_ARRAY } from '../../lib/json-bytes.ts'
import { type OpenValue, openValue } from '../../lib/json-scalar.ts'
import { valueEnd } from '../../lib/json-values.ts'
import { breaksIn } from './text.ts'

/** A value of a file, as its text stands there, on one line. */
export interface JsonText {
  /** The line of the file where it begins, from 1. */
  line: number
  json: string
}

/** The lines of NDJSON that are not empty. They are not read: the hub says what is wrong with one. */
export async function* readLines(text: AsyncIterable<string>): AsyncGenerator<JsonText> {
  let line = 0
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_ELEMENT_LENGTH) throw tooLong(line + 1)
    for (const one of lines) {
      line += 1
      const json = one.trim()
      if (json !== '') yield { line, json }
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, json: rest.trim() }
}

/**
 * The elements of a JSON array, each as soon as it has come; or the values of a file that has one after the other. Digits
 * stay as they are written. Throws a UserError that names the line where the file is no such thing.
 */
export async function* readElements(text: AsyncIterable<string>): AsyncGenerator<JsonText> {
  let line = 1
  let begun: Begun | null = null
  const between = createBetween()

  for await (const piece of text) {
    const bytes = Buffer.from(piece)
    for (let at = 0; at < bytes.length; ) {
      if (begun === null) {
        if (bytes[at] === BREAK) line += 1
        if (!between(bytes, at, line)) {
          at += 1
          continue
        }
        begun = { line, text: '', open: openValue() }
      }
      const from = at
      const end = valueEnd(bytes, from, begun.open, (place) => {
        const before = breaksIn(bytes.toString('utf8', from, place + 1))
        throw wrong(line + before, 'a line break or control character within a text')
      })
      at = end === -1 ? bytes.length : end
      const part = bytes.toString('utf8', from, at)
      line += breaksIn(part)
      begun.text += part
      if (end !== -1) {
        yield oneLine(begun.text, begun.line)
        begun = null
      } else if (begun.text.length > MAX_ELEMENT_LENGTH) throw tooLong(begun.line)
    }
  }
  if (begun !== null && !begun.open.bare) throw wrong(begun.line, 'what begins here has no end; is the file cut off?')
  if (begun !== null) yield oneLine(begun.text, begun.line)
  between.end(line)
}

/** An element of which not all has come. */
interface Begun {
  line: number
  text: string
  open: OpenValue
}

/** The bytes that may stand between elements. Gives whether an element begins with the byte at a place. */
function createBetween() {
  let place: 'start' | 'array' | 'values' | 'end' = 'start'
  /** In an array, a comma stands between two elements. */
  let mayBegin = true

  function between(bytes: Buffer, at: number, line: number): boolean {
    const byte = bytes[at] ?? 0
    if (isBlank(byte)) return false
    if (place === 'end') throw wrong(line, 'more text after the end of the array')
    if (place === 'start') {
      place = byte === OPEN_ARRAY ? 'array' : 'values'
      if (place === 'array') return false
    }
    if (place === 'array' && byte === COMMA && !mayBegin) {
      mayBegin = true
      return false
    }
    if (place === 'array' && byte === CLOSE_ARRAY) {
      place = 'end'
      return false
    }
    if (byte === COMMA || isClosing(byte) || !mayBegin)
      throw wrong(line, `"${signAt(bytes, at)}" where ${mayBegin ? 'an item' : 'a comma or the end'} should be`)
    mayBegin = place === 'values'
    return true
  }

  return Object.assign(between, {
    end(line: number) {
      if (place === 'array') throw wrong(line, 'the array has no end; is the file cut off?')
    },
  })
}

function signAt(bytes: Buffer, at: number): string {
  return Array.from(bytes.toString('utf8', at, at + 4))[0] ?? ''
}

/** Characters of one item. */
const MAX_ELEMENT_LENGTH = 4_000_000

const BREAK = 10

/** Line breaks stand between words only, where a blank says the same. */
function oneLine(json: string, line: number): JsonText {
  return { line, json: /[\r\n]/.test(json) ? json.replace(/\s+/g, (gap) => (/[\r\n]/.test(gap) ? ' ' : gap)) : json }
}

function wrong(line: number, what: string): UserError {
  return new UserError(`line ${line}: this is not JSON: ${what}.`)
}

function tooLong(line: number): UserError {
  return new UserError(
    `line ${line}: an item of more than ${MAX_ELEMENT_LENGTH / 1e6} MB begins here. A JSON file is an array of items, [{…}, {…}]; an NDJSON file has an item on each line.`,
  )
}
