import { createHash } from 'node:crypto'
import { createFileReader } from '../../../import/lines.ts'
import type { Source } from '../read-options.ts'

/** The findings of a first reading of a whole file: that it can be read, and how. */
export type Survey = ReturnType<ReturnType<typeof createSurvey>['end']>

/**
 * Reads a file from its beginning to its end, as its chunks come, and takes nothing of it. Throws an UnreadableFileError
 * where it cannot be read as what it should be.
 */
export function createSurvey(source: Source) {
  const hash = createHash('sha256')
  const reader = createFileReader(source)
  let read = 0
  return {
    /** How much of the file it has read (bytes). */
    read: () => read,
    add(chunk: Uint8Array): void {
      hash.update(chunk)
      for (const _ of reader.add(chunk));
      read += chunk.length
    },
    end() {
      for (const _ of reader.end());
      return { digest: hash.digest('hex').slice(0, 32), ...reader.known() }
    },
  }
}
