import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FileEntry, Files } from '../../../folders/transport.ts'
import { apartFault, createFileReader, createLines, type Line } from '../../../import/lines.ts'
import type { FilePosition } from '../../../import/pieces.ts'
import type { IntakeLine } from '../../../ports/intake.ts'
import { RESOURCES, type Source } from '../read-options.ts'
import { type Claim, claimedFile, claimNext, createSettling, type Unnameable } from './claims.ts'
import { finishEnded } from './ending.ts'

/** How far files were read. The hub keeps it as text. */
const Position = z.object({
  /** Files that are done with: it moves with each. */
  files: z.int().default(0),
  /** The file that is being read, what its lines are named by, and where in it; null: none that a line was taken of. */
  reading: z
    .object({ id: z.string(), digest: z.string(), key: z.string(), offset: z.int(), line: z.int() })
    .nullable()
    .default(null),
  /** How much of it a first reading has seen (bytes). */
  surveyed: z.int().default(0),
  /** Names of files that were told of as unreadable, and are there still. */
  unnameable: z.array(z.string()).default([]),
  /** The content that was read last of each resource, and what its lines were named by. */
  last: z.partialRecord(z.enum(RESOURCES), z.object({ digest: z.string(), key: z.string() })).default({}),
})
export type Position = z.output<typeof Position>

const BEGINNING = Position.parse({})

/** The position that a cursor tells. One that cannot be read is as good as none: keys tell what was taken. */
export function readCursor(cursor: string | null): Position {
  if (cursor === null) return BEGINNING
  try {
    return Position.parse(JSON.parse(cursor))
  } catch {
    return BEGINNING
  }
}

export function cursorOf(position: Position): string {
  return JSON.stringify(position)
}

/**
 * The name of the lines of a file: its content, and that it was put there; so they count once, however often it is read. The
 * same content once more right after is the same file. Later it is another one: what it says may have changed meanwhile.
 */
export function keyOf({ reading, last }: Position, resource: IntakeLine, digest: string, id: string): string {
  const before = last[resource]
  if (before?.digest === digest) return before.key
  return reading?.digest === digest ? reading.key : `${digest}-${id}`
}

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

/** The most records, and bytes, that are taken at a time: this bounds the memory, and what comes again after a crash. */
const MOST_LINES = 500
const MOST_BYTES = 2_000_000

export interface Page {
  lines: Line[]
  /** After the last of them. */
  end: FilePosition
  /** There is nothing after them. */
  isLast: boolean
}

/** The lines of a file from a place on, as many as a page has. */
export async function readPage(files: Files, claim: Claim, survey: Survey, from: FilePosition): Promise<Page> {
  const { begin, header } = survey
  const reader = createLines(claim.source, {
    place: from,
    header,
    json: from.offset === begin.offset ? 'start' : survey.json,
  })
  const page: Page = { lines: [], end: from, isLast: false }
  let bytes = 0

  /** False: it is full. */
  function put(lines: Iterable<Line>): boolean {
    for (const line of lines) {
      const before = survey.apart.get(line.line)
      if (before !== undefined) line.faults.push(apartFault(line, before))
      page.lines.push(line)
      page.end = line.end
      bytes += line.raws.reduce((sum, raw) => sum + raw.bytes.length, 0)
      if (page.lines.length >= MOST_LINES || bytes >= MOST_BYTES) return false
    }
    return true
  }

  for await (const chunk of files.read(claim.path, from.offset)) if (!put(reader.add(chunk))) return page
  page.isLast = put(reader.end())
  return page
}
