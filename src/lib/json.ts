import { isUtf8 } from 'node:buffer'
import { Big } from 'big.js'

export const QUOTE = 0x22
export const COMMA = 0x2c
export const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** JSON numbers beyond doubles: 9007199254740993 would become …992, another id. */

/** Up to 15 digits are exact. */
const LONG_NUMBER = /[\d.]{16,}|\d[eE][+-]?\d/

const LONG_WHOLE = /(?:^|[[:,])\s*-?\d{16}/

/** Longer numbers are no amounts; comparing them is quadratic (characters). */
const LONGEST_NUMBER = 100

/** Numbers that would change are passed to `kept` as typed. Throws a SyntaxError. */
export function parseExact(text: string, kept: (typed: string) => unknown): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return parseWithTyped(text, (number, typed) => {
    const isShort = typed.length <= LONGEST_NUMBER && Number.isFinite(number)
    return isShort && new Big(typed).eq(String(number)) ? number : kept(typed)
  })
}

/** Whole numbers beyond 2^53 become text. Throws a SyntaxError. */
export function parseWithIds(text: string): unknown {
  if (!LONG_WHOLE.test(text)) return JSON.parse(text)
  return parseWithTyped(text, (number, typed) =>
    Number.isSafeInteger(number) || !/^-?\d+$/.test(typed) ? number : typed,
  )
}

function parseWithTyped(text: string, read: (number: number, typed: string) => unknown): unknown {
  return JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? read(value, context.source) : value,
  )
}

export function jsonOf(value: unknown): { text: string; isWhole: boolean } {
  try {
    return { text: JSON.stringify(value), isWhole: true }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const flat = Object.entries(Object(value)).filter(([, inner]) => typeof inner !== 'object')
    return { text: JSON.stringify(Object.fromEntries(flat)), isWhole: false }
  }
}

/** Bounds on the cost of parsing. */
export interface JsonLimits {
  depth: number
  keys: number
  items: number
  values: number
}

const TELLS = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT]) TELLS[byte] = 1

/** Shorter text is cheap whatever it holds (bytes). */
export const HARMLESS = 16_384

/** The exceeded limit, without parsing. Linear; invalid JSON may give any answer. */
export function beyondLimits(bytes: Uint8Array, limits: JsonLimits): string | null {
  if (bytes.byteLength < HARMLESS) return null
  const { depth: deepest, keys, items, values: mostValues } = limits
  const { length } = bytes
  const isList = new Uint8Array(deepest + 1)
  const members = new Uint32Array(deepest + 1)
  let depth = 0
  let values = 1
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number
    if (TELLS[byte] === 0) continue
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth = depth === 0 ? 0 : depth - 1
    else {
      values += 1
      if (values > mostValues) return `it has more than ${mostValues} values`
      if (byte !== COMMA) {
        depth += 1
        if (depth > deepest) return `it is nested deeper than ${deepest} levels`
        isList[depth] = byte === OPEN_ARRAY ? 1 : 0
        members[depth] = 1
      } else {
        const count = (members[depth] as number) + 1
        members[depth] = count
        if (depth > 0 && count > keys && isList[depth] === 0) return `an object in it has more than ${keys} fields`
        if (depth > 0 && count > items && isList[depth] === 1) return `a list in it has more than ${items} items`
      }
    }
  }
  return null
}

function endOfString(bytes: Uint8Array, quote: number): number {
  const { length } = bytes
  for (let at = quote + 1; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at += 1
  }
  return length
}

/** Index after the value at `from`; -1: continue with the next chunk and the same `open`. */
export function valueEnd(bytes: Uint8Array, from: number, open: OpenValue = openValue()): number {
  let at = from
  if (at >= bytes.length) return -1
  if (!open.begun) {
    const first = bytes[at] ?? 0
    open.begun = true
    open.bare = first !== QUOTE && !isOpening(first)
  }
  if (open.bare) return bareEnd(bytes, at)
  if (open.quoted) {
    at = textEnd(bytes, at, open)
    if (at === -1 || open.depth === 0) return at
  }
  let { depth } = open
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0
    at += 1
    if (byte === QUOTE) {
      const end = textEnd(bytes, at, open)
      if (end === -1) break
      at = end
    } else if (isOpening(byte)) depth += 1
    else if (isClosing(byte)) depth -= 1
    if (depth === 0) return at
  }
  open.depth = depth
  return -1
}

interface OpenValue {
  begun: boolean
  bare: boolean
  depth: number
  quoted: boolean
  escaped: boolean
}

export function openValue(): OpenValue {
  return { begun: false, bare: false, depth: 0, quoted: false, escaped: false }
}

function bareEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (isBlank(byte) || byte === COMMA || isClosing(byte)) return at
  }
  return -1
}

function textEnd(bytes: Uint8Array, from: number, open: OpenValue): number {
  let at = open.escaped ? from + 1 : from
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      open.quoted = false
      open.escaped = false
      return at + 1
    }
    if (byte === BACKSLASH) at += 1
  }
  open.quoted = true
  open.escaped = at > bytes.length
  return -1
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function isOpening(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}

export function isClosing(byte: number): boolean {
  return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
}

/** A number that JavaScript cannot hold, as typed, so that it can be refused by name. */
export class InexactNumber {
  readonly typed: string

  constructor(typed: string) {
    this.typed = typed
  }
}

/** Throws a SyntaxError that quotes nothing. */
export function parseTyped(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not UTF-8')
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  try {
    return parseExact(text, (typed) => new InexactNumber(typed))
  } catch (error) {
    const place = error instanceof Error && /position (\d+)/.exec(error.message)
    throw new SyntaxError(
      place ? `it is broken at character ${Number(place[1]) + 1}` : 'it is broken or ends too early',
    )
  }
}

/** In base64 where it is no text. */
export function shownBody(bytes: Uint8Array | null): { body: string | null; bodyBase64?: string } {
  if (bytes === null) return { body: null }
  const body = Buffer.from(bytes)
  return isUtf8(body) ? { body: body.toString() } : { body: null, bodyBase64: body.toString('base64') }
}

/** What is wrong with a body, and its numbers that JavaScript cannot hold. */
export interface Inspected {
  beyond: string | null
  broken: string | null
  inexact: { at: (string | number)[]; typed: string }[]
}

const MAX_INEXACT = 1_000

/** Parses JSON within the limits without keeping it. */
export function inspectJson(bytes: Buffer, limits: JsonLimits): Inspected {
  const sound: Inspected = { beyond: null, broken: null, inexact: [] }
  const beyond = beyondLimits(bytes, limits)
  if (beyond !== null) return { ...sound, beyond }
  try {
    const inexact = inexactIn(parseTyped(bytes))
    if (inexact.length <= MAX_INEXACT) return { ...sound, inexact }
    return { ...sound, beyond: `it has more than ${MAX_INEXACT} numbers of more digits than a number holds` }
  } catch (error) {
    if (error instanceof SyntaxError) return { ...sound, broken: error.message }
    throw error
  }
}

function inexactIn(value: unknown, at: (string | number)[] = [], found: Inspected['inexact'] = []) {
  if (found.length > MAX_INEXACT) return found
  if (value instanceof InexactNumber) found.push({ at, typed: value.typed })
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) inexactIn(item, [...at, index], found)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) inexactIn(inner, [...at, name], found)
  return found
}
