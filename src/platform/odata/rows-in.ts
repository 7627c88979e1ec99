import { COMMA, isOpening, QUOTE } from '../../lib/json-bytes.ts'
import { openValue } from '../../lib/json-scalar.ts'
import { valueEnd } from '../../lib/json-values.ts'
import { UnexpectedAnswer } from '../http/read.ts'

/**
 * The values of a list from the pieces of its bytes, without its brackets; a piece that was read is taken out and let go. Throws an
 * UnexpectedAnswer that names the row which is no JSON.
 */
export function* rowsIn(pieces: Buffer[]): Generator<unknown> {
  let row = 0
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
      if (end === -1) begun.push(part)
      else {
        row += 1
        yield parsed(begun.length === 0 ? part : Buffer.concat([...begun, part]), row)
        begun = []
      }
    }
  }
  if (begun.length > 0) yield parsed(Buffer.concat(begun), row + 1)
}

function parsed(bytes: Buffer, row: number): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new UnexpectedAnswer(`row ${row} is not JSON`)
  }
}
