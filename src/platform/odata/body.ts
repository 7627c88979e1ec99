import { setImmediate as tick } from 'node:timers/promises'
import { COMMA, isClosing, isOpening, OPEN_ARRAY, openValue, QUOTE, valueEnd } from '../../lib/json.ts'
import { free } from '../../lib/thread.ts'
import { isRecord, NotJson, type WireRecord } from '../http/read.ts'

/* Parsed whole, a chain's day of 200,000 rows would block the event loop. */

export type RowsIn = { member: string } | 'list'

/** A list that begins later is not streamed (bytes). */
const HEAD = 2 ** 18

/** Scanned at a time; others have turns between (bytes). As long as a piece of the HTTP client, so that each is freed once it is read. */
const STRETCH = 2 ** 18

/** Null: no list there, or no JSON; the pieces stay. */
export async function byRow(pieces: Buffer[], where: RowsIn): Promise<WireRecord | Iterable<unknown> | null> {
  const { head, others } = split(pieces)
  const opens = where === 'list' ? beginningOf(head) : listIn(head, where.member)
  if (opens === null) return null
  const list = await cutList([head.subarray(opens), ...others])
  const rest = list && restOf(head.subarray(0, opens + 1), list.after)
  if (list === null || rest === undefined || (where !== 'list' && !isRecord(rest))) return null
  pieces.length = 0
  const rows = rowsIn(list.inner)
  return where !== 'list' && isRecord(rest) ? { ...rest, [where.member]: rows } : rows
}

function split(pieces: readonly Buffer[]): { head: Buffer; others: readonly Buffer[] } {
  let bytes = 0
  let count = 0
  for (const piece of pieces) {
    if (bytes >= HEAD) break
    bytes += piece.length
    count += 1
  }
  const [first = Buffer.alloc(0)] = pieces
  return { head: count <= 1 ? first : Buffer.concat(pieces.slice(0, count)), others: pieces.slice(count) }
}

function restOf(before: Buffer, after: Buffer): unknown {
  try {
    return JSON.parse(before.toString('utf8').replace(/^\uFEFF/, '') + after.toString('utf8'))
  } catch {
    return undefined
  }
}

function beginningOf(head: Buffer): number | null {
  const begin = /^\uFEFF?\s*\[/.exec(head.toString('utf8', 0, 64))?.[0]
  return begin === undefined ? null : Buffer.byteLength(begin) - 1
}

function listIn(head: Buffer, member: string): number | null {
  const isName = (name: string) => name.toLowerCase() === member.toLowerCase()
  let depth = 0
  for (let at = 0; at < head.length; ) {
    const byte = head[at] ?? 0
    if (byte === QUOTE) {
      const end = valueEnd(head, at)
      if (end === -1) return null
      const opens = depth === 1 && isName(head.toString('utf8', at + 1, end - 1)) ? bracketAfter(head, end) : -1
      if (opens > 0) return opens
      at = end
    } else {
      if (isOpening(byte)) depth += 1
      else if (isClosing(byte)) depth -= 1
      at += 1
    }
  }
  return null
}

async function cutList(pieces: readonly Buffer[]): Promise<{ inner: Buffer[]; after: Buffer } | null> {
  const open = openValue()
  const inner: Buffer[] = []
  let sinceBreath = 0
  for (const [index, piece] of pieces.entries())
    for (let from = 0; from < piece.length; from += STRETCH) {
      const stretch = piece.subarray(from, from + STRETCH)
      const end = valueEnd(stretch, 0, open)
      const begin = index === 0 && from === 0 ? 1 : 0
      if (end !== -1) {
        inner.push(stretch.subarray(begin, end - 1))
        return { inner, after: Buffer.concat([piece.subarray(from + end - 1), ...pieces.slice(index + 1)]) }
      }
      inner.push(stretch.subarray(begin))
      sinceBreath += stretch.length
      if (sinceBreath < STRETCH) continue
      sinceBreath = 0
      await tick()
    }
  return null
}

function bracketAfter(head: Buffer, end: number): number {
  let at = end
  let colons = 0
  for (; at < head.length; at++) {
    const byte = head[at] ?? 0
    if (byte === 0x3a) colons += 1
    else if (byte > 0x20) break
  }
  return colons === 1 && head[at] === OPEN_ARRAY ? at : -1
}

export function* rowsIn(pieces: Buffer[]): Generator<unknown> {
  let begun: Buffer[] = []
  let open = openValue()
  let isBare = false
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    for (let at = 0; at < piece.length; ) {
      const byte = piece[at] ?? 0
      if (begun.length === 0) {
        if (byte <= 0x20 || byte === COMMA) {
          at += 1
          continue
        }
        open = openValue()
        isBare = byte !== QUOTE && !isOpening(byte)
      }
      // Words and numbers end at a comma.
      const end = isBare ? piece.indexOf(COMMA, at) : valueEnd(piece, at, open)
      const part = end === -1 ? piece.subarray(at) : piece.subarray(at, end)
      at += part.length
      if (end === -1) begun.push(Buffer.from(part))
      else {
        yield parsed(begun.length === 0 ? part : Buffer.concat([...begun, part]))
        begun = []
      }
    }
    free(piece)
  }
  if (begun.length > 0) yield parsed(Buffer.concat(begun))
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return new NotJson(text.trim())
  }
}
