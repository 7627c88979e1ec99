import { UserError } from '../../domain/values/errors.ts'

/** A value of a file, as its text stands there, on one line. */
export interface JsonText {
  /** Of the file, from 1: where it begins. */
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
    if (rest.length > MOST) throw tooLong(line + 1)
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
  /** Of the element that has begun; null: between elements. */
  let begun: { line: number; text: string } | null = null
  /** Brackets and braces that are open within it. */
  let depth = 0
  let quoted = false
  let escaped = false
  const between = createBetween()

  for await (const piece of text) {
    let from = 0
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece.charCodeAt(at)
      if (char === BREAK) line += 1
      if (begun === null) {
        if (!between(char, line)) continue
        begun = { line, text: '' }
        from = at
        quoted = char === QUOTE
        depth = isOpening(char) ? 1 : 0
        continue
      }
      let end = -1
      if (quoted) {
        if (char < SPACE) throw wrong(line, 'a line break or control character within a text')
        if (escaped) escaped = false
        else if (char === BACKSLASH) escaped = true
        else if (char === QUOTE) {
          quoted = false
          if (depth === 0) end = at + 1
        }
      } else if (depth === 0) {
        // A bare word or number ends where something else begins.
        if (isBlank(char) || char === COMMA || isClosing(char)) end = at
      } else if (char === QUOTE) quoted = true
      else if (isOpening(char)) depth += 1
      else if (isClosing(char)) {
        depth -= 1
        if (depth === 0) end = at + 1
      }
      if (end === -1) continue
      yield oneLine(begun.text + piece.slice(from, end), begun.line)
      begun = null
      if (end === at) between(char, line)
    }
    if (begun !== null) {
      begun.text += piece.slice(from)
      if (begun.text.length > MOST) throw tooLong(begun.line)
    }
  }
  if (begun !== null && (depth > 0 || quoted))
    throw wrong(begun.line, 'what begins here has no end; is the file cut off?')
  if (begun !== null) yield oneLine(begun.text, begun.line)
  between.end(line)
}

/** What may stand between elements. Gives whether an element begins with the character. */
function createBetween() {
  let place: 'start' | 'array' | 'values' | 'end' = 'start'
  /** In an array, a comma stands between two elements. */
  let mayBegin = true

  function between(char: number, line: number): boolean {
    if (isBlank(char)) return false
    if (place === 'end') throw wrong(line, 'more text after the end of the array')
    if (place === 'start') {
      place = char === OPEN_ARRAY ? 'array' : 'values'
      if (place === 'array') return false
    }
    if (place === 'array' && char === COMMA && !mayBegin) {
      mayBegin = true
      return false
    }
    if (place === 'array' && char === CLOSE_ARRAY) {
      place = 'end'
      return false
    }
    if (char === COMMA || isClosing(char) || !mayBegin)
      throw wrong(line, `"${String.fromCharCode(char)}" where ${mayBegin ? 'an item' : 'a comma or the end'} should be`)
    mayBegin = place === 'values'
    return true
  }

  return Object.assign(between, {
    end(line: number) {
      if (place === 'array') throw wrong(line, 'the array has no end; is the file cut off?')
    },
  })
}

/** Characters of one item. */
const MOST = 4_000_000

const BREAK = 10
const SPACE = 32
const QUOTE = 34
const COMMA = 44
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Line breaks stand between words only, where a blank says the same. */
function oneLine(json: string, line: number): JsonText {
  return { line, json: /[\r\n]/.test(json) ? json.replace(/\s+/g, (gap) => (/[\r\n]/.test(gap) ? ' ' : gap)) : json }
}

function isBlank(char: number): boolean {
  return char === SPACE || char === BREAK || char === 13 || char === 9
}

function isOpening(char: number): boolean {
  return char === OPEN_OBJECT || char === OPEN_ARRAY
}

function isClosing(char: number): boolean {
  return char === CLOSE_OBJECT || char === CLOSE_ARRAY
}

function wrong(line: number, what: string): UserError {
  return new UserError(`line ${line}: this is not JSON: ${what}.`)
}

function tooLong(line: number): UserError {
  return new UserError(
    `line ${line}: an item of more than ${MOST / 1e6} MB begins here. A JSON file is an array of items, [{…}, {…}]; an NDJSON file has an item on each line.`,
  )
}
