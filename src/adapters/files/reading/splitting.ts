import { breaksIn } from './text.ts'
import { LONGEST, UnreadableFileError } from './unreadable-file.ts'

/** A place in a file: how many bytes stand before it, and its line, from 1. */
export interface FilePosition {
  offset: number
  line: number
}

/** A row of CSV, a line of NDJSON, an element of JSON, with what ends it. */
interface Piece {
  begin: FilePosition
  end: FilePosition
  bytes: Buffer
}

/**
 * Where the piece ends that begins at `at`; -1: the bytes do not hold its end yet. Throws a BrokenError. It is asked for the
 * same piece again when there are more bytes.
 */
export type EndOf = (bytes: Buffer, at: number, isLast: boolean) => number

/** The fault that breaks a file, and where in the bytes it is. */
export class BrokenError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Cuts a file into pieces, wherever its chunks end. Throws an UnreadableFileError. */
export function createSplitter(endOf: EndOf, from: FilePosition) {
  let rest: Buffer = Buffer.alloc(0)
  let place = from

  function nextEnd(bytes: Buffer, at: number, isLast: boolean): number {
    try {
      return at < bytes.length ? endOf(bytes, at, isLast) : -1
    } catch (error) {
      if (!(error instanceof BrokenError)) throw error
      const line = place.line + breaksIn(bytes.subarray(at, error.at))
      throw new UnreadableFileError(`Line ${line}: ${error.message}`)
    }
  }

  return {
    *add(chunk: Uint8Array, isLast: boolean): Generator<Piece> {
      const bytes = Buffer.concat([rest, chunk])
      let at = 0
      for (let end = nextEnd(bytes, at, isLast); end !== -1; end = nextEnd(bytes, at, isLast)) {
        const piece = bytes.subarray(at, end)
        const begin = place
        place = { offset: begin.offset + piece.length, line: begin.line + breaksIn(piece) }
        at = end
        yield { begin, end: place, bytes: piece }
      }
      rest = bytes.subarray(at)
      if (rest.length > LONGEST)
        throw new UnreadableFileError(
          `Line ${place.line}: more than ${LONGEST / 1e6} MB without an end begin here. Is a quote or a bracket missing that ends it?`,
        )
    },
  }
}
