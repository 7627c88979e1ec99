import { setImmediate as breath } from 'node:timers/promises'
import { COMMA, isClosing, isOpening, OPEN_ARRAY, QUOTE } from '../../lib/json-bytes.ts'
import { openValue } from '../../lib/json-scalar.ts'
import { valueEnd } from '../../lib/json-values.ts'
import { isRecord, UnexpectedAnswer, type WireRecord } from '../http/read.ts'

/*
 * The rows of an odata answer, one at a time from its bytes: a day of a chain has 40,000 of them, and as one JSON value they
 * take several times the memory of the answer.
 */

/** The end of a list is looked for in so many bytes at one go: webhooks are answered in between. */
const STRETCH = 2 ** 19

/**
 * The answer with its rows in "value" as something to go through once. Null: it is not an object with a list there, or not
 * JSON; read it as a whole to say what it is.
 */
export async function byRow(body: Buffer): Promise<WireRecord | null> {
  const list = await listIn(body)
  const rest = list && restOf(body, list)
  return list && isRecord(rest) ? { ...rest, value: rowsIn(body, list) } : null
}

/** The answer without its rows: their list is empty. Undefined: it is no JSON. */
function restOf(body: Buffer, { from, to }: List): unknown {
  try {
    return JSON.parse(body.toString('utf8', 0, from).replace(/^\uFEFF/, '') + body.toString('utf8', to))
  } catch {
    return undefined
  }
}

/** The place of the rows: after the bracket that opens the list, and before the one that closes it. */
interface List {
  from: number
  to: number
}

async function listIn(body: Buffer): Promise<List | null> {
  let depth = 0
  for (let at = 0; at < body.length; ) {
    const byte = body[at] ?? 0
    if (byte === QUOTE) {
      const end = valueEnd(body, at)
      if (end === -1) return null
      const opens = depth === 1 && isValue(body.toString('utf8', at + 1, end - 1)) ? bracketAfter(body, end) : -1
      if (opens > 0) {
        const to = await listEnd(body, opens)
        return to === null ? null : { from: opens + 1, to }
      }
      at = end
    } else {
      if (isOpening(byte)) depth += 1
      else if (isClosing(byte)) depth -= 1
      at += 1
    }
  }
  return null
}

/** The place of the bracket that closes the list; null: none does. */
async function listEnd(body: Buffer, opens: number): Promise<number | null> {
  const open = openValue()
  for (let from = opens; from < body.length; from += STRETCH) {
    const end = valueEnd(body.subarray(from, from + STRETCH), 0, open)
    if (end !== -1) return from + end - 1
    await breath()
  }
  return null
}

function isValue(name: string): boolean {
  return name.toLowerCase() === 'value'
}

/** Throws an UnexpectedAnswer that names the row which is no JSON. */
function* rowsIn(body: Buffer, { from, to }: List): Generator<unknown> {
  let row = 0
  for (let at = from; at < to; ) {
    const byte = body[at] ?? 0
    if (byte <= 0x20 || byte === COMMA) {
      at += 1
      continue
    }
    row += 1
    const end = isOpening(byte) || byte === QUOTE ? valueEnd(body, at) : body.indexOf(COMMA, at)
    // A word or a number ends at the next comma: what else stands before that is none.
    const upTo = end === -1 || end > to ? to : end
    yield parsed(body.toString('utf8', at, upTo), row)
    at = upTo
  }
}

function parsed(text: string, row: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnexpectedAnswer(`row ${row} is not JSON`)
  }
}

/** The bracket that opens a list right behind a name; below 0: something else does. */
function bracketAfter(body: Buffer, end: number): number {
  let at = end
  let colons = 0
  for (; at < body.length; at++) {
    const byte = body[at] ?? 0
    if (byte === 0x3a) colons += 1
    else if (byte > 0x20) break
  }
  return colons === 1 && body[at] === OPEN_ARRAY ? at : -1
}
