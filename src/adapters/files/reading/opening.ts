import type { FileEntry, Files } from '../../../folders/transport.ts'
import type { Source } from '../read-options.ts'
import { type Claim, claimedFile, claimNext, type Unnameable } from './claiming.ts'
import type { Position } from './cursor.ts'
import { finishEnded } from './ending.ts'
import { createSettling } from './settling.ts'
import { createSurvey, type Survey } from './survey.ts'

/** The file that is being read here. */
export interface Reading {
  claim: Claim
  /** As it was when it was opened. */
  entry: FileEntry
  surveying: ReturnType<typeof createSurvey>
  survey: Survey | null
  /** Where the next page begins, if all goes well; null: nobody knows what was kept of this file before. */
  next: number | null
}

/** A first reading of a large file goes on in the next poll after so long (milliseconds): nobody waits longer than a minute. */
const PORTION = 15_000

/** Holds the file that is being read. `elapsed`: of a clock that nobody sets. */
export function createOpening(sources: readonly Source[], destination: string, elapsed: () => number) {
  const settling = createSettling(elapsed)
  let open: Reading | null = null
  let unnameable: Unnameable[] = []

  return {
    /** Files that were there at the last look, and that nothing can be done with by their names. */
    unnameable: (): readonly Unnameable[] => unnameable,

    /** The file that is being read, else the next one that is complete; null: there is none. */
    async current(files: Files, { reading }: Position): Promise<Reading | null> {
      if (open && (reading === null || reading.id === open.claim.id) && (await isUnchanged(files, open))) return open
      open = null
      await finishEnded(files, sources, destination)
      const claim =
        (await claimedFile(files, sources, destination)) ??
        (await claimNext(files, sources, destination, settling, (found) => {
          unnameable = found
        }))
      const entry = claim && (await files.stat(claim.path))
      if (entry) open = { claim, entry, surveying: createSurvey(claim.source), survey: null, next: null }
      return open
    },
    /** Reads it once, to see that it can be; null: that is not over yet. Throws an UnreadableFileError. */
    async survey(files: Files, reading: Reading): Promise<Survey | null> {
      const { claim, surveying } = reading
      if (reading.survey) return reading.survey
      const until = elapsed() + PORTION
      for await (const chunk of files.read(claim.path, surveying.read())) {
        surveying.add(chunk)
        if (elapsed() > until) return null
      }
      reading.survey = surveying.end()
      return reading.survey
    },
    /** The next one is looked for anew, or this one read from its beginning. */
    close(): void {
      open = null
    },
  }
}

/** The file is as it was when it was opened: its writer may not have been done after all. */
export async function isUnchanged(files: Files, { claim, entry }: Reading): Promise<boolean> {
  const found = await files.stat(claim.path)
  return found?.size === entry.size && found.modifiedAt === entry.modifiedAt
}
