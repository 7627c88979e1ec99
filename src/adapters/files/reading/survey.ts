import { createHash } from 'node:crypto'
import type { Source } from '../read-options.ts'
import type { JsonPlace } from './json.ts'
import { createLines, type Header } from './lines.ts'
import type { FilePosition } from './splitting.ts'
import type { Encoding } from './text.ts'
import { UnreadableFileError } from './unreadable-file.ts'

/** The findings of a first reading of a whole file: that it can be read, and how. */
export interface Survey {
  /** Names its content: the beginning of its SHA-256. */
  digest: string
  /** After its header. */
  begin: FilePosition
  header: Header | null
  /** Where its elements stand. */
  json: JsonPlace
  /** The file begins with a mark (BOM). */
  isMarked: boolean
  /** Lines whose key stood in the file before, apart from them, each with the line where it did. */
  apart: ReadonlyMap<number, number>
}

/** More of these, and the file is not sorted. */
const MOST_APART = 1_000

/**
 * Reads a file from its beginning to its end, as its chunks come, and takes nothing of it. Throws an UnreadableFileError
 * where it cannot be read as what it should be.
 */
export function createSurvey(source: Source) {
  const hash = createHash('sha256')
  const begun = new Map<string, number>()
  const apart = new Map<number, number>()
  let read = 0
  let mark = 0
  let lines: ReturnType<typeof createLines> | null = null

  function linesFrom(first: Uint8Array): [ReturnType<typeof createLines>, Uint8Array] {
    mark = markOf(first, source.encoding)
    lines = createLines(source, { place: { offset: mark, line: 1 }, header: null, json: 'start' })
    return [lines, first.subarray(mark)]
  }

  /** A product that comes again apart would lose its first sizes, a delivery its last lines. */
  function note(all: Iterable<{ line: number; key: string | null }>): void {
    for (const { line, key } of all) {
      if (key === null) continue
      const before = begun.get(key)
      if (before === undefined) begun.set(key, line)
      else apart.set(line, before)
      if (apart.size > MOST_APART)
        throw new UnreadableFileError(
          `Line ${line}: ${key} stood on line ${before} already, and more than ${MOST_APART} lines are like this. Rows that belong together stand together: sort the file.`,
        )
    }
  }

  return {
    /** How much of the file it has read (bytes). */
    read: () => read,
    add(chunk: Uint8Array): void {
      hash.update(chunk)
      const [to, bytes] = lines ? [lines, chunk] : linesFrom(chunk)
      note(to.add(bytes))
      read += chunk.length
    },
    end(): Survey {
      const [to] = lines ? [lines] : linesFrom(new Uint8Array())
      note(to.end())
      begun.clear()
      return { digest: hash.digest('hex').slice(0, 32), ...to.known(), isMarked: mark > 0, apart }
    },
  }
}

/** How long the mark (BOM) at its beginning is. */
function markOf(first: Uint8Array, encoding: Encoding): number {
  const [a, b, c] = first
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    throw new UnreadableFileError('It is UTF-16: have it saved as UTF-8.')
  if (a !== 0xef || b !== 0xbb || c !== 0xbf) return 0
  if (encoding === 'utf-8') return 3
  throw new UnreadableFileError(`It begins with the mark of UTF-8, and config says encoding: ${encoding}.`)
}
