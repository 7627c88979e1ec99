import { createHash, randomUUID } from 'node:crypto'
import {
  type Intake,
  type IntakeEnd,
  type IntakeItem,
  type IntakeLine,
  type IntakePage,
  orElse,
  type Question,
} from 'tillbridge/adapter'
import {
  apartFault,
  createFileReader,
  createLines,
  decode,
  type Encoding,
  encode,
  type FileEntry,
  type FilePosition,
  type Files,
  isFault,
  LINE,
  type Line,
  mapConcurrently,
  type Raw,
  REASON,
  type Transport,
  UnreadableFileError,
} from 'tillbridge/adapter/files'
import { z } from 'zod'
import {
  type ClaimedFile,
  claimedFile,
  claimNext,
  createSettling,
  endFile,
  type FileEnd,
  finishEnded,
  namesIn,
  type Unnameable,
} from './claims.ts'
import { RESOURCES, type Source, under } from './options.ts'
import { folderError } from './outbox.ts'

interface Refusal {
  raws: readonly Raw[]
  faults: readonly string[]
}

const PIECE = '.refused.'
const DRAFT = '.draft.'
const CONCURRENCY = 16
const MAX_NAMED = 10

async function keepRefusals(
  files: Files,
  { claim, survey, offset }: { claim: ClaimedFile; survey: Survey; offset: number },
  refusals: readonly Refusal[],
): Promise<void> {
  const draft = under(claim.folder, `${DRAFT}${randomUUID()}`)
  await files.create(
    draft,
    joined(
      refusals.flatMap((one) => rowsOf(claim, survey, one)),
      separatorOf(survey),
    ),
  )
  await replace(files, draft, under(claim.folder, `${PIECE}${String(offset).padStart(15, '0')}`))
  // The page does not come again once its cursor is stored.
  await files.sync(claim.folder)
}

async function forgetRefusals(files: Files, { folder }: ClaimedFile, from: number): Promise<void> {
  const names = await namesIn(files, folder)
  const stale = names.filter((name) => name.startsWith(DRAFT) || (offsetOf(name) ?? -1) >= from)
  await mapConcurrently(CONCURRENCY, stale, (name) => files.remove(under(folder, name)))
}

async function rejectFile(files: Files, claim: ClaimedFile, survey: Survey): Promise<AsyncIterable<Uint8Array> | null> {
  const pieces = (await namesIn(files, claim.folder)).filter((name) => offsetOf(name) !== null).sort()
  return pieces.length > 0 ? contentOf(files, claim, survey, pieces) : null
}

async function* contentOf(
  files: Files,
  claim: ClaimedFile,
  survey: Survey,
  pieces: readonly string[],
): AsyncGenerator<Uint8Array> {
  const separator = Buffer.from(separatorOf(survey))
  if (survey.isMarked) yield Buffer.from('\ufeff')
  if (survey.header) yield headerOf(claim, survey.header)
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield separator
    yield* files.read(under(claim.folder, piece))
  }
  yield separator
}

function headerOf({ source }: ClaimedFile, { raw, delimiter, lineEnd }: NonNullable<Survey['header']>): Buffer {
  return Buffer.concat([encode(`${LINE}${delimiter}${REASON}${delimiter}`, source.encoding), raw, Buffer.from(lineEnd)])
}

function rowsOf({ source }: ClaimedFile, { header }: Survey, { raws, faults }: Refusal): Buffer[] {
  const { format, encoding, csv } = source
  const reason = reasonOf(faults)
  return raws.map(({ line, bytes }) => {
    if (format !== 'csv') return objectOf(line, reason, bytes, encoding)
    const { delimiter = ',' } = header ?? {}
    const { quote } = csv
    const quoted = quote !== null && `${quote}${reason.replaceAll(quote, quote + quote)}${quote}`
    const cell = quoted || reason.replaceAll(delimiter, ' ')
    return Buffer.concat([encode(`${line}${delimiter}${cell}${delimiter}`, encoding), bytes])
  })
}

function reasonOf(faults: readonly string[]): string {
  const shown = faults.slice(0, MAX_NAMED)
  const more = faults.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

function objectOf(line: number, reason: string, bytes: Buffer, encoding: Encoding): Buffer {
  const said = `"${LINE}":${line},"${REASON}":${JSON.stringify(reason)}`
  const text = (decode(bytes, encoding) ?? '').trim()
  const isObject = text.startsWith('{') && orElse(() => JSON.parse(text), null) !== null
  const hasFields = isObject && !/^\{\s*\}$/.test(text)
  return encode(`{${said},${hasFields ? text.slice(1) : `"TillbridgeText":${JSON.stringify(text)}}`}`, encoding)
}

function separatorOf({ header }: Survey): string {
  return header?.lineEnd ?? '\n'
}

function joined(rows: readonly Buffer[], separator: string): Buffer {
  const between = Buffer.from(separator)
  return Buffer.concat(rows.flatMap((row, index) => (index === 0 ? [row] : [between, row])))
}

function offsetOf(name: string): number | null {
  return name.startsWith(PIECE) ? Number(name.slice(PIECE.length)) : null
}

async function replace(files: Files, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to)
  } catch (error) {
    if (!isFault(error, 'exists')) throw error
    await files.remove(to)
    await files.rename(from, to)
  }
}

type Given =
  | { reading: Reading; survey: Survey; offset: number; lines: readonly Line[]; isLast: boolean }
  | { reading: Reading; why: string }

/** Reads files sequentially: claims each, surveys it to its end, gives its lines by pages, and archives it. `elapsed` is monotonic. */
export function createFilesIntake(
  sources: readonly Source[],
  transport: Transport,
  destination: string,
  { now, elapsed } = { now: Date.now, elapsed: () => performance.now() },
): Required<Pick<Intake, 'poll' | 'taken'>> {
  const opening = createOpening(sources, destination, elapsed)
  const pages = new WeakMap<IntakePage, Given>()

  function give(page: IntakePage, given: Given): IntakePage {
    pages.set(page, given)
    return page
  }

  async function poll(files: Files, last: Position): Promise<IntakePage> {
    const reading = await opening.current(files, last)
    const there = opening.unnameable().map(({ name }) => name)
    const position = { ...last, unnameable: last.unnameable.filter((name) => there.includes(name)) }
    const page = unnameablePage(position)
    if (page) return page
    if (!reading) return { items: [], cursor: cursorOf(position), more: false }
    let survey: Survey | null
    try {
      survey = await opening.survey(files, reading)
    } catch (error) {
      opening.close()
      return unreadable(reading, whyNot(error), position)
    }
    if (survey) return await pageOf(files, reading, survey, position)
    return { items: [], cursor: cursorOf({ ...position, surveyed: reading.surveying.read() }), more: true }
  }

  async function pageOf(files: Files, reading: Reading, survey: Survey, position: Position): Promise<IntakePage> {
    const { id, source } = reading.claim
    const { resource } = source
    const { digest } = survey
    const isBegun = position.reading?.id === id && position.reading.digest === digest
    const from = (isBegun && position.reading) || survey.begin
    if (reading.next !== from.offset) await forgetRefusals(files, reading.claim, from.offset)
    const { lines, end, isLast } = await readPage(files, reading.claim, survey, from)
    reading.next = end.offset
    const key = keyOf(position, resource, digest, id)
    const cursor = isLast
      ? { ...afterFile(position), last: { ...position.last, [resource]: { digest, key } } }
      : { ...position, reading: { id, digest, key, ...end }, surveyed: 0 }
    const items = lines.map(({ line, value, faults }) => itemOf(source, `${key}/${line}`, value, faults))
    const page = { items, cursor: cursorOf(cursor), more: true }
    return give(page, { reading, survey, offset: from.offset, lines, isLast })
  }

  function unnameablePage(position: Position): IntakePage | null {
    const there = opening.unnameable().slice(0, MAX_UNNAMEABLE)
    const isNews = there.filter(({ name }) => !position.unnameable.includes(name))
    if (isNews.length === 0) return null
    const items = isNews.map(({ source, name }) =>
      itemOf(source, `unnameable/${name}`, {}, [
        `${name} cannot be read: its name has bytes that are no UTF-8. Rename it, and it is read.`,
      ]),
    )
    return { items, cursor: cursorOf({ ...position, unnameable: there.map(({ name }) => name) }), more: true }
  }

  function unreadable(reading: Reading, why: string, position: Position): IntakePage {
    const { source, id, name } = reading.claim
    const items = [itemOf(source, id, {}, [`${name} cannot be read: ${why}`])]
    return give({ items, cursor: cursorOf(afterFile(position)), more: true }, { reading, why })
  }

  async function taken(files: Files, given: Given, ends: readonly IntakeEnd[]): Promise<void> {
    const { claim } = given.reading
    if ('why' in given)
      return await end(files, given.reading, { taken: false, reject: Buffer.from(`${claim.name}\n${given.why}\n`) })
    const { reading, survey, offset, lines, isLast } = given
    const refusals = lines.flatMap(({ raws }, index) => {
      const { status, faults = [] } = ends[index] ?? {}
      return status === 'refused' ? [{ raws, faults }] : []
    })
    if (refusals.length > 0) await keepRefusals(files, { claim, survey, offset }, refusals)
    if (!isLast) return
    if (await isUnchanged(files, reading))
      await end(files, reading, { taken: true, reject: await rejectFile(files, claim, survey) })
    else opening.close()
  }

  async function end(files: Files, { claim }: Reading, how: FileEnd): Promise<void> {
    opening.close()
    await endFile(files, claim, how, destination, now())
  }

  async function use<Result>({ signal }: Question, work: (files: Files) => Promise<Result>): Promise<Result> {
    try {
      return await transport.use(signal, work)
    } catch (error) {
      opening.close()
      throw folderError(error, transport.where)
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

const MAX_UNNAMEABLE = 100

function afterFile(position: Position): Position {
  return { ...position, files: position.files + 1, reading: null, surveyed: 0 }
}

function itemOf(
  { resource }: Source,
  key: string,
  value: Record<string, unknown>,
  faults: readonly string[],
): IntakeItem {
  return { resource, refusable: true, key, theirId: null, place: null, value, ...(faults.length > 0 && { faults }) }
}

function whyNot(error: unknown): string {
  if (error instanceof UnreadableFileError) return error.message
  if (isFault(error, 'denied')) return 'The hub may not read it: permission denied.'
  throw error
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
type Position = z.output<typeof Position>

const BEGINNING = Position.parse({})

/** An unreadable cursor is none: keys tell what was taken. */
function readCursor(cursor: string | null): Position {
  if (cursor === null) return BEGINNING
  try {
    return Position.parse(JSON.parse(cursor))
  } catch {
    return BEGINNING
  }
}

function cursorOf(position: Position): string {
  return JSON.stringify(position)
}

/** Key of a file's lines: its content and id. The same content directly afterwards is the same file; later it is another. */
function keyOf({ reading, last }: Position, resource: IntakeLine, digest: string, id: string): string {
  const before = last[resource]
  if (before?.digest === digest) return before.key
  return reading?.digest === digest ? reading.key : `${digest}-${id}`
}

type Survey = ReturnType<ReturnType<typeof createSurvey>['end']>

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

interface Reading {
  claim: ClaimedFile
  entry: FileEntry
  surveying: ReturnType<typeof createSurvey>
  survey: Survey | null
  next: number | null
}

const PORTION = 15_000

function createOpening(sources: readonly Source[], destination: string, elapsed: () => number) {
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

async function isUnchanged(files: Files, { claim, entry }: Reading): Promise<boolean> {
  const found = await files.stat(claim.path)
  return found?.size === entry.size && found.modifiedAt === entry.modifiedAt
}

const MAX_LINES = 500
const MAX_BYTES = 2_000_000

async function readPage(files: Files, claim: ClaimedFile, survey: Survey, from: FilePosition) {
  const reader = createLines(claim.source, { place: from, header: survey.header })
  const page = { lines: [] as Line[], end: from, isLast: false }
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
