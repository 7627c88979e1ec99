import type { Instant } from '../../../domain/values/instant.ts'
import { type Files, isTrouble, type Transport } from '../../../folders/transport.ts'
import type { Line } from '../../../import/lines.ts'
import { UnreadableFileError } from '../../../import/pieces.ts'
import type { Question } from '../../../ports/attempt.ts'
import type { Intake, IntakeEnd, IntakeItem, IntakePage } from '../../../ports/intake.ts'
import type { Source } from '../read-options.ts'
import { readingError } from '../trouble.ts'
import { endFile, type FileEnd } from './ending.ts'
import {
  createOpening,
  cursorOf,
  isUnchanged,
  keyOf,
  type Position,
  type Reading,
  readCursor,
  readPage,
  type Survey,
} from './opening.ts'
import { forgetRefusals, keepRefusals, rejectFile } from './refusals.ts'

/** The facts that `taken` must know of a page. */
type Given =
  | { reading: Reading; survey: Survey; offset: number; lines: readonly Line[]; isLast: boolean }
  /** The whole file cannot be read. */
  | { reading: Reading; why: string }

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
    const told = unnameablePage(position)
    if (told) return told
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

  /** Files that came with names that are no text, each told once: the hub counts it as one thing that was refused. Null: none came. */
  function unnameablePage(position: Position): IntakePage | null {
    const there = opening.unnameable().slice(0, MOST_UNNAMEABLE)
    const isNews = there.filter(({ name }) => !position.unnameable.includes(name))
    if (isNews.length === 0) return null
    const items = isNews.map(({ source, name }) =>
      itemOf(source, `unnameable/${name}`, {}, [
        `${name} cannot be read: its name has bytes that are no UTF-8. Rename it, and it is read.`,
      ]),
    )
    return { items, cursor: cursorOf({ ...position, unnameable: there.map(({ name }) => name) }), more: true }
  }

  /** The hub counts it as one thing that was refused. */
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

/** Files with names that are no text, of which so many are told. */
const MOST_UNNAMEABLE = 100

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

/** Why a file cannot be read; throws what is no fault of the file. */
function whyNot(error: unknown): string {
  if (error instanceof UnreadableFileError) return error.message
  if (isTrouble(error, 'denied')) return 'The hub may not read it: permission denied.'
  throw error
}
