import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { formatInstant, type Instant } from '../../../domain/values/instant.ts'
import { type FileEntry, type Files, isFault, readAll } from '../../../folders/transport.ts'
import type { FilePosition } from '../../../import/lines.ts'
import { apartFault, createFileReader, createLines, type Line } from '../../../import/lines.ts'
import type { IntakeLine } from '../../../ports/intake.ts'
import { RESOURCES, type Source } from '../read-options.ts'
import {
  type Claim,
  claimedFile,
  claimNext,
  createSettling,
  endedFolder,
  HIDDEN,
  isHidden,
  makeFolders,
  namesIn,
  readWorkName,
  type Unnameable,
  under,
  workName,
} from './claims.ts'

const End = z.object({ name: z.string(), taken: z.boolean() })
type End = z.output<typeof End>

export interface FileEnd {
  taken: boolean
  reject: Uint8Array | AsyncIterable<Uint8Array> | null
}

/**
 * Archives or rejects a file once, whichever hub dies:
 *
 * 1. The plan and the content for the reject folder are written beside it.
 * 2. Its folder is renamed into the ended ones, which only one hub can do.
 * 3. The moves are made; any hub completes them.
 */
export async function endFile(
  files: Files,
  { source, id, folder, name }: Claim,
  { taken, reject }: FileEnd,
  destination: string,
  now: Instant,
): Promise<void> {
  const end = randomBytes(6).toString('hex')
  if (reject) await files.create(under(folder, `.reject.${end}`), reject)
  const what: End = { name: await freeName(files, source, name, now), taken }
  await files.create(under(folder, `.end.${end}`), Buffer.from(JSON.stringify(what)))
  await files.sync(folder)
  await makeFolders(files, source.folder, `${HIDDEN}/ended`)
  const to = workName(destination, { resource: source.resource, id, end })
  try {
    await files.rename(folder, under(endedFolder(source), to))
  } catch (error) {
    if (isFault(error, 'missing')) return
    throw error
  }
  await files.sync(endedFolder(source))
  await finish(files, source, to, end)
}

async function finishEnded(files: Files, sources: readonly Source[], destination: string): Promise<void> {
  for (const [folder, ofFolder] of Map.groupBy(sources, endedFolder))
    for (const name of await namesIn(files, folder)) {
      const read = readWorkName(name, destination)
      const source = read && ofFolder.find(({ resource }) => resource === read.resource)
      if (source && read.end !== null) await finish(files, source, name, read.end)
    }
}

async function finish(files: Files, source: Source, work: string, end: string): Promise<void> {
  const folder = under(endedFolder(source), work)
  const plan = await readEnd(files, under(folder, `.end.${end}`))
  const names = await namesIn(files, folder)
  if (plan) await move(files, source, folder, names, plan, end)
  // The plan goes last: nothing else tells what the rest is.
  for (const name of names.filter((one) => isHidden(one) && !one.startsWith('.end.')))
    await files.remove(under(folder, name))
  for (const name of names.filter((one) => one.startsWith('.end.'))) await files.remove(under(folder, name))
  await files.removeFolder(folder).catch((error: unknown) => {
    if (!isFault(error, 'missing')) throw error
  })
}

async function move(
  files: Files,
  source: Source,
  folder: string,
  names: readonly string[],
  { name, taken }: End,
  end: string,
): Promise<void> {
  const archive = under(source.folder, source.archive)
  const reject = under(source.folder, source.reject)
  const file = names.find((one) => !isHidden(one))
  const rejectFile = names.find((one) => one === `.reject.${end}`)
  if (rejectFile || !taken) await makeFolders(files, source.folder, source.reject)
  if (taken) await makeFolders(files, source.folder, source.archive)
  if (rejectFile)
    await moveTo(files, under(folder, rejectFile), under(reject, taken ? name : `${name}.reason.txt`), end)
  if (file) await moveTo(files, under(folder, file), under(taken ? archive : reject, name), end)
  for (const to of [...(taken ? [archive] : []), ...(rejectFile || !taken ? [reject] : [])]) await files.sync(to)
}

/** If it is not there, another hub moved it. A file put there since stays. */
async function moveTo(files: Files, from: string, to: string, end: string): Promise<void> {
  const isTaken = (await files.stat(to)) !== null
  try {
    await files.rename(from, isTaken ? withEnding(to, end) : to)
  } catch (error) {
    if (!isFault(error, 'missing') || (await files.stat(from))) throw error
  }
}

async function readEnd(files: Files, path: string): Promise<End | null> {
  try {
    return End.parse(JSON.parse(await readAll(files, path)))
  } catch (error) {
    if (isFault(error, 'missing')) return null
    throw error
  }
}

async function freeName(
  files: Files,
  { folder, archive, reject }: Source,
  name: string,
  now: Instant,
): Promise<string> {
  const time = formatInstant(now).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  for (let number = 0; ; number++) {
    const candidate = number === 0 ? name : withEnding(name, number === 1 ? time : `${time}-${number}`)
    const places = [under(archive, candidate), under(reject, candidate), under(reject, `${candidate}.reason.txt`)]
    const there = await Promise.all(places.map((place) => files.stat(under(folder, place))))
    if (there.every((one) => one === null)) return candidate
  }
}

function withEnding(name: string, ending: string): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^./]*)?$/.exec(name) ?? []
  return `${stem}.${ending}${extension}`
}

const Position = z.object({
  files: z.int().default(0),
  reading: z
    .object({ id: z.string(), digest: z.string(), key: z.string(), offset: z.int(), line: z.int() })
    .nullable()
    .default(null),
  surveyed: z.int().default(0),
  unnameable: z.array(z.string()).default([]),
  /** Of each resource the content read last, and the key of its lines. */
  last: z.partialRecord(z.enum(RESOURCES), z.object({ digest: z.string(), key: z.string() })).default({}),
})
export type Position = z.output<typeof Position>

const BEGINNING = Position.parse({})

/** An unreadable cursor is none: keys tell what was taken. */
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

/** Key of a file's lines: its content and id. The same content directly afterwards is the same file; later it is another. */
export function keyOf({ reading, last }: Position, resource: IntakeLine, digest: string, id: string): string {
  const before = last[resource]
  if (before?.digest === digest) return before.key
  return reading?.digest === digest ? reading.key : `${digest}-${id}`
}

export type Survey = ReturnType<ReturnType<typeof createSurvey>['end']>

export function createSurvey(source: Source) {
  const hash = createHash('sha256')
  const reader = createFileReader(source)
  let read = 0
  return {
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

export interface Reading {
  claim: Claim
  entry: FileEntry
  surveying: ReturnType<typeof createSurvey>
  survey: Survey | null
  next: number | null
}

const PORTION = 15_000

export function createOpening(sources: readonly Source[], destination: string, elapsed: () => number) {
  const settling = createSettling(elapsed)
  let open: Reading | null = null
  let unnameable: Unnameable[] = []

  return {
    unnameable: (): readonly Unnameable[] => unnameable,

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
    /** Reads it once to its end; null: to be continued in the next poll. Throws an UnreadableFileError. */
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
    close(): void {
      open = null
    },
  }
}

export async function isUnchanged(files: Files, { claim, entry }: Reading): Promise<boolean> {
  const found = await files.stat(claim.path)
  return found?.size === entry.size && found.modifiedAt === entry.modifiedAt
}

const MAX_LINES = 500
const MAX_BYTES = 2_000_000

interface Page {
  lines: Line[]
  end: FilePosition
  isLast: boolean
}

export async function readPage(files: Files, claim: Claim, survey: Survey, from: FilePosition): Promise<Page> {
  const reader = createLines(claim.source, { place: from, header: survey.header })
  const page: Page = { lines: [], end: from, isLast: false }
  let bytes = 0

  function put(lines: Iterable<Line>): boolean {
    for (const line of lines) {
      const before = survey.separate.get(line.line)
      if (before !== undefined) line.faults.push(apartFault(line, before))
      page.lines.push(line)
      page.end = line.end
      bytes += line.raws.reduce((sum, raw) => sum + raw.bytes.length, 0)
      if (page.lines.length >= MAX_LINES || bytes >= MAX_BYTES) return false
    }
    return true
  }

  for await (const chunk of files.read(claim.path, from.offset)) if (!put(reader.add(chunk))) return page
  page.isLast = put(reader.end())
  return page
}
