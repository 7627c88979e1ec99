import type { Instant } from '../../../domain/instant.ts'
import type { Intake, IntakeEnd, IntakeItem, IntakePage, Question } from '../../adapter.ts'
import type { Source } from '../read-options.ts'
import { type FileEntry, type Files, isTrouble, type Transport } from '../transport.ts'
import { readingError } from '../trouble.ts'
import { type Claim, claimedFile, claimNext } from './claiming.ts'
import { cursorOf, keyOf, type Position, readCursor } from './cursor.ts'
import { endFile, finishEnded } from './ending.ts'
import type { Line } from './grouping.ts'
import { readPage } from './page.ts'
import { forgetRefusals, keepRefusals, rejectFile } from './refusals.ts'
import { createSettling } from './settling.ts'
import { createSurvey, type Survey } from './survey.ts'
import { UnreadableFileError } from './unreadable-file.ts'

/** The file that is being read here. */
interface Reading {
  claim: Claim
  /** As it was when it was opened. */
  entry: FileEntry
  surveying: ReturnType<typeof createSurvey>
  survey: Survey | null
  /** Where the next page begins, if all goes well; null: nobody knows what was kept of this file before. */
  next: number | null
}

/** What `taken` must know of a page. */
interface Given {
  reading: Reading
  /** Where it begins. */
  offset: number
  lines: readonly Line[]
  isLast: boolean
  /** Why the whole file cannot be read; null: it can. */
  why: string | null
}

/** A first reading of a large file goes on in the next poll after so long (milliseconds): nobody waits longer than a minute. */
const PORTION = 15_000

interface Clocks {
  now(): Instant
  /** Nobody sets this one. */
  elapsed(): number
}

const CLOCKS: Clocks = { now: Date.now, elapsed: () => performance.now() }

/**
 * Reads files, one after the other, a page at a time. A file is moved out of the way first, so that it stays as it is; then
 * it is read to its end, to see that it can be; then its lines are given. When all were taken it is archived.
 */
export function createFilesIntake(
  sources: readonly Source[],
  transport: Transport,
  destination: string,
  { now, elapsed }: Clocks = CLOCKS,
): Required<Pick<Intake, 'poll' | 'taken'>> {
  const settling = createSettling(elapsed)
  const pages = new WeakMap<IntakePage, Given>()
  let open: Reading | null = null

  /** What is being read, else the next file that is complete; null: there is none. */
  async function current(files: Files, position: Position): Promise<Reading | null> {
    if (open && (position.reading === null || position.reading.id === open.claim.id)) {
      const entry = await files.stat(open.claim.path)
      if (entry && isSame(entry, open.entry)) return open
    }
    open = null
    await finishEnded(files, sources, destination)
    const claim =
      (await claimedFile(files, sources, destination)) ?? (await claimNext(files, sources, destination, settling))
    const entry = claim && (await files.stat(claim.path))
    if (entry) open = { claim, entry, surveying: createSurvey(claim.source), survey: null, next: null }
    return open
  }

  async function poll(files: Files, position: Position): Promise<IntakePage> {
    const reading = await current(files, position)
    if (!reading) return { items: [], cursor: cursorOf(position), more: false }
    try {
      reading.survey ??= await survey(files, reading)
    } catch (error) {
      return unreadable(reading, whyNot(error), position)
    }
    if (!reading.survey) {
      const surveyed = reading.surveying.read()
      return { items: [], cursor: cursorOf({ ...position, surveyed }), more: true }
    }
    return await pageOf(files, reading, reading.survey, position)
  }

  /** Null: it is not over yet. */
  async function survey(files: Files, { claim, surveying }: Reading): Promise<Survey | null> {
    const until = elapsed() + PORTION
    for await (const chunk of files.read(claim.path, surveying.read())) {
      surveying.add(chunk)
      if (elapsed() > until) return null
    }
    return surveying.end()
  }

  async function pageOf(files: Files, reading: Reading, survey: Survey, position: Position): Promise<IntakePage> {
    const { claim, entry } = reading
    const { id, source } = claim
    const { resource } = source
    const { digest } = survey
    const begun = position.reading?.id === id && position.reading.digest === digest ? position.reading : null
    const from = begun ?? survey.begin
    if (reading.next !== from.offset) await forgetRefusals(files, claim, from.offset)
    const { lines, end, isLast } = await readPage(files, claim, survey, from)
    reading.next = end.offset
    const key = keyOf(position, resource, digest, entry.modifiedAt)
    const after: Position = isLast
      ? {
          files: position.files + 1,
          reading: null,
          surveyed: 0,
          last: { ...position.last, [resource]: { digest, key } },
        }
      : { ...position, reading: { id, digest, ...end }, surveyed: 0 }
    const items = lines.map((line) => itemOf(source, key, line))
    return give(
      { items, cursor: cursorOf(after), more: true },
      { reading, offset: from.offset, lines, isLast, why: null },
    )
  }

  /** The hub counts it as one thing that was refused. */
  function unreadable(reading: Reading, why: string, position: Position): IntakePage {
    const { source, id, name } = reading.claim
    const item = {
      ...itemOf(source, id, { line: 1, value: {}, faults: [] }),
      faults: [`${name} cannot be read: ${why}`],
    }
    const after = { ...position, files: position.files + 1, reading: null, surveyed: 0 }
    const given = { reading, offset: 0, lines: [], isLast: true, why }
    return give({ items: [item], cursor: cursorOf(after), more: true }, given)
  }

  function give(page: IntakePage, given: Given): IntakePage {
    pages.set(page, given)
    return page
  }

  async function taken(files: Files, { reading, offset, lines, isLast, why }: Given, ends: readonly IntakeEnd[]) {
    const { claim, survey, entry } = reading
    if (why !== null) return await end(files, reading, { taken: false, reject: Buffer.from(`${claim.name}\n${why}\n`) })
    if (!survey) return
    const refusals = lines.flatMap(({ raws }, index) => {
      const { status, faults = [] } = ends[index] ?? {}
      return status === 'refused' ? [{ raws, faults }] : []
    })
    if (refusals.length > 0) await keepRefusals(files, { claim, survey, offset }, refusals)
    if (!isLast) return
    const found = await files.stat(claim.path)
    // Whoever wrote it was not done after all: it is read again.
    if (found && !isSame(found, entry)) open = null
    else if (found) await end(files, reading, { taken: true, reject: await rejectFile(files, claim, survey) })
  }

  async function end(files: Files, { claim }: Reading, ended: Parameters<typeof endFile>[2]): Promise<void> {
    open = null
    await endFile(files, claim, ended, destination, now())
  }

  async function use<Result>({ signal }: Question, work: (files: Files) => Promise<Result>): Promise<Result> {
    try {
      return await transport.use(signal, work)
    } catch (error) {
      open = null
      throw readingError(error, transport.where)
    }
  }

  return {
    poll: (cursor, question) => use(question, (files) => poll(files, readCursor(cursor))),
    async taken(page, ends, question) {
      const given = pages.get(page)
      if (given) await use(question, (files) => taken(files, given, ends))
    },
  }
}

/** A line of the file, named so that it counts once. */
function itemOf(
  { resource }: Source,
  key: string,
  { line, value, faults }: Pick<Line, 'line' | 'value' | 'faults'>,
): IntakeItem {
  return {
    resource,
    refusable: true,
    key: `${key}/${line}`,
    theirId: null,
    place: null,
    value,
    ...(faults.length > 0 && { faults }),
  }
}

/** Why a file cannot be read; throws what is no fault of the file. */
function whyNot(error: unknown): string {
  if (error instanceof UnreadableFileError) return error.message
  if (isTrouble(error, 'denied')) return 'The hub may not read it: permission denied.'
  throw error
}

function isSame(one: FileEntry, other: FileEntry): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt
}
