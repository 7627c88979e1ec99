import { isRecord, UnexpectedAnswer, type WireRecord } from '../http/read.ts'

/*
 * The rows of an odata answer, one at a time from its bytes: a day of a chain has 40,000 of them, and as one JSON value they
 * take several times the memory of the answer.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = [0x7b, 0x5b]
const CLOSE = [0x7d, 0x5d]

/**
 * The answer with its rows in "value" as something to go through once. Null: it is not an object with a list there, or not
 * JSON; read it as a whole to say what it is.
 */
export function byRow(body: Buffer): WireRecord | null {
  const list = listIn(body)
  const rest = list && restOf(body, list)
  return list && isRecord(rest) ? { ...rest, value: rowsIn(body, list) } : null
}

/** What stands in the answer besides the rows; its list is empty. Undefined: it is no JSON. */
function restOf(body: Buffer, { from, to }: List): unknown {
  try {
    return JSON.parse(body.toString('utf8', 0, from).replace(/^\uFEFF/, '') + body.toString('utf8', to))
  } catch {
    return undefined
  }
}

/** Where the rows stand: after the bracket that opens the list, and before the one that closes it. */
interface List {
  from: number
  to: number
}

function listIn(body: Buffer): List | null {
  let depth = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === QUOTE) {
      const end = endOfText(body, at)
      const opens =
        depth === 1 && body.toString('utf8', at + 1, end).toLowerCase() === 'value' ? bracketAfter(body, end) : -1
      if (opens > 0) {
        const to = endOfValue(body, opens)
        return to < 0 ? null : { from: opens + 1, to }
      }
      at = end
    } else if (OPEN.includes(byte)) depth += 1
    else if (CLOSE.includes(byte)) depth -= 1
  }
  return null
}

/** Throws an UnexpectedAnswer that names the row which is no JSON. */
function* rowsIn(body: Buffer, { from, to }: List): Generator<unknown> {
  let row = 0
  for (let at = from; at < to; at++) {
    const byte = body[at] ?? 0
    if (byte <= 0x20 || byte === 0x2c) continue
    row += 1
    const end = OPEN.includes(byte) ? endOfValue(body, at) : endOfPlain(body, at, to)
    yield parsed(body.toString('utf8', at, end + 1), row)
    at = end
  }
}

function parsed(text: string, row: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnexpectedAnswer(`row ${row} is not JSON`)
  }
}

/** The quote that ends a text that begins here. */
function endOfText(body: Buffer, from: number): number {
  for (let at = from + 1; at < body.length; at++) {
    if (body[at] === BACKSLASH) at += 1
    else if (body[at] === QUOTE) return at
  }
  return body.length
}

/** The bracket that ends the object or list that begins here; below 0: none does. */
function endOfValue(body: Buffer, from: number): number {
  let depth = 0
  for (let at = from; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === QUOTE) at = endOfText(body, at)
    else if (OPEN.includes(byte)) depth += 1
    else if (CLOSE.includes(byte) && --depth === 0) return at
  }
  return -1
}

/** The last byte of a number, a word or a text in a list. */
function endOfPlain(body: Buffer, from: number, to: number): number {
  if (body[from] === QUOTE) return endOfText(body, from)
  let at = from
  while (at + 1 < to && body[at + 1] !== 0x2c) at += 1
  return at
}

/** The bracket that opens a list right after the name that ends here; below 0: something else does. */
function bracketAfter(body: Buffer, end: number): number {
  let at = end + 1
  let colons = 0
  for (; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === 0x3a) colons += 1
    else if (byte > 0x20) break
  }
  return colons === 1 && body[at] === 0x5b ? at : -1
}
