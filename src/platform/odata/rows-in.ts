import { COMMA, isOpening, openValue, QUOTE, valueEnd } from '../../lib/json-values.ts'
import { free } from '../../lib/thread.ts'
import { NotJson } from '../long-lists/not-json.ts'

/**
 * The values of a list from the pieces of its bytes, without its brackets; a piece that was read is taken out, and its memory given back. A
 * row that is no JSON is a NotJson: where it ends is told by its brackets and quotes alone.
 */
export function* rowsIn(pieces: Buffer[]): Generator<unknown> {
  /** What has come of a row that goes on in the next piece. */
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
      // A word or a number ends at the next comma: what else stands before that is none.
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
