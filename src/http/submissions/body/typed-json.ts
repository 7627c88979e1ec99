import { isUtf8 } from 'node:buffer'
import { parseExact } from '../../../lib/json.ts'

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
