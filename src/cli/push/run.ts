import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { grouped, type Progress } from '../shared/progress.ts'
import { RESOURCES, readItems, requireUnchanged, type Source, type Survey, surveyFile } from './file.ts'
import { type FailedLine, type LineFaults, NoAnswerError, type Rehearsed, type Submission, type V1 } from './hub.ts'
import type { Report } from './report.ts'

/** A push, as it was asked for. */
export interface Wish {
  source: Source
  /** Of the request: `mode`, `force`, `directoryOnly`. */
  query: Record<string, string>
  /** Wait until the platform has it. */
  wait: boolean
  /** Instead of the one that the file makes. */
  idempotencyKey: string | undefined
  /** Makes another key than the file alone: the same file counts as a new push. */
  again: string | undefined
  v1: V1
  progress: Progress
  interrupt: { signal: AbortSignal; exitCode: 130 | 143 }
}

/** Sends a file with nothing taken. Faults that keep an item from being sent are among those of the report. */
export async function rehearsePush(wish: Wish): Promise<Rehearsed> {
  const survey = await surveyed(wish)
  const { warnings = [], ...said } = await going(wish, 'Nothing was taken', () => wish.v1.rehearse(sent(wish, survey)))
  return {
    ...said,
    refused: said.refused + survey.faults.length,
    faults: inFile(survey, said.faults),
    warnings: warnings.map((one) => (one.line ? { ...one, line: fileLine(survey, one.line) } : one)),
  }
}

/**
 * Sends a file, and waits until the platform has it. The same file again continues, since it makes the same key. Throws a UserError where
 * nothing can be sent; an EndedError that says how to go on.
 */
export async function runPush(wish: Wish): Promise<Report> {
  const { progress, source, again } = wish
  const survey = await surveyed(wish)
  const idempotencyKey = wish.idempotencyKey ?? keyOf(wish, survey)
  const onward = `Run the same command again${again === undefined ? '' : ` with --idempotency-key ${idempotencyKey} instead of --again`}: it continues, and nothing is taken twice`
  const report: Report = {
    file: source.path,
    resource: RESOURCES[source.what],
    idempotencyKey,
    submission: null,
    items: survey.lines.length + survey.faults.length,
    accepted: 0,
    duplicates: 0,
    refused: survey.faults.length,
    faults: survey.faults,
    deliveries: null,
    unrouted: 0,
    failed: [],
  }
  if (survey.lines.length === 0) return report

  const taken = await going(wish, onward, () => wish.v1.submit(sent(wish, survey), idempotencyKey))
  const { id = null, accepted = 0, duplicates = 0, refused = 0, faults = [] } = taken
  report.submission = id
  report.accepted = accepted
  report.duplicates = duplicates
  report.refused += refused
  report.faults = inFile(survey, faults)
  if (taken.status === 'duplicate' || (duplicates > 0 && accepted === 0))
    progress.say(
      `${basename(source.path)} was taken before, as submission ${id}. Nothing is taken twice; --again sends it once more.`,
    )
  else if (duplicates > 0)
    progress.say(`Continuing submission ${id}: ${grouped(duplicates)} items had been taken before.`)
  if (id === null || !wish.wait) return report

  const words = `The hub has taken all and goes on by itself. ${onward}`
  const end = await going(wish, words, () => endOf(id, wish))
  const failed = end.failed.map((one) => ({ ...one, line: fileLine(survey, one.line) }))
  return { ...report, ...end, failed }
}

function surveyed(wish: Wish): Promise<Survey> {
  const { source, progress, interrupt } = wish
  return going(wish, 'Nothing was sent', () =>
    surveyFile(source, interrupt.signal, (done, of) => progress.show({ doing: 'reading', done, of, unit: 'bytes' })),
  )
}

/** Does a part; says how to go on where it was interrupted. */
async function going<T>({ interrupt, progress }: Wish, onward: string, part: () => Promise<T>): Promise<T> {
  const ticking = setInterval(() => progress.tick(), 250)
  try {
    return await part()
  } catch (error) {
    if (interrupt.signal.aborted) throw new EndedError(`Interrupted. ${onward}.`, interrupt.exitCode)
    if (error instanceof NoAnswerError) throw new EndedError(`${error.message} ${onward}.`, EXIT.problem)
    throw error
  } finally {
    clearInterval(ticking)
    progress.clear()
  }
}

/** A file makes one key, for as long as it is not written again. */
function keyOf({ query, again, source }: Wish, { hash }: Survey): string {
  const sentAs = [...new URLSearchParams(query)].map(([name, value]) => (value === 'true' ? name : value))
  return ['push', RESOURCES[source.what], hash.slice(0, 32), ...sentAs, ...(again === undefined ? [] : [again])].join(
    '-',
  )
}

function sent(wish: Wish, survey: Survey) {
  return { resource: RESOURCES[wish.source.what], query: wish.query, body: () => body(wish, survey) }
}

/** Characters that are sent together. */
const PIECE = 64 * 1024

/** The items as NDJSON, in pieces that are worth a packet. */
async function* body({ source, interrupt, progress }: Wish, { lines, stamp }: Survey): AsyncGenerator<Buffer> {
  // Lines and key are those of the file that was looked at; a later try finds another one perhaps.
  await requireUnchanged(source.path, stamp)
  let piece = ''
  let items = 0
  for await (const item of readItems(source, interrupt.signal)) {
    if ('faults' in item) continue
    piece += `${item.json}\n`
    items += 1
    if (piece.length < PIECE) continue
    yield Buffer.from(piece)
    progress.show({ doing: 'sending', done: items, of: lines.length, unit: 'items' })
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
  await requireUnchanged(source.path, stamp)
  progress.show({ doing: 'taking', done: items, of: items, unit: 'items' })
}

/** The line of the file where the hub's line n begins. */
function fileLine({ lines }: Survey, line: number): number {
  return lines[line - 1] ?? line
}

/** Faults of the file, and those that the hub found, by lines of the file. */
function inFile(survey: Survey, ofHub: readonly LineFaults[] = []): LineFaults[] {
  const found = ofHub.map((one) => ({ ...one, line: fileLine(survey, one.line) }))
  return [...survey.faults, ...found].sort((a, b) => a.line - b.line)
}

/** Looks come soon at first, since a small file is done at once (milliseconds). */
const SOON = [200, 300, 500]
const LOOK = 1_000
/** More than that nobody reads. */
const MAX_LISTED = 10_000

/** Looks at a submission until nothing of it is on its way any more. A held delivery waits for a person: nobody waits for that here. */
async function endOf(
  id: number,
  { v1, progress, interrupt: { signal } }: Wish,
): Promise<Pick<Report, 'unrouted' | 'failed'> & { deliveries: Record<string, number> }> {
  for (let looks = 0; ; looks += 1) {
    const submission = await v1.look(id)
    const deliveries = sumStates(submission)
    const of = Object.values(deliveries).reduce((sum, count) => sum + count, 0)
    const open = (deliveries.waiting ?? 0) + (deliveries.claimed ?? 0)
    if (submission.done || open === 0)
      return { deliveries, unrouted: submission.unrouted ?? 0, failed: await allFailed(submission, v1) }
    progress.show({ doing: 'delivering', done: of - open, of, unit: 'items' })
    await pause(SOON[looks] ?? LOOK, undefined, { signal })
  }
}

async function allFailed({ id, failed }: Submission, v1: V1): Promise<FailedLine[]> {
  const all = [...failed]
  for (let page = failed; page.length > 0 && all.length < MAX_LISTED; all.push(...page))
    page = (await v1.look(id, page.at(-1)?.line)).failed
  return all
}

function sumStates({ destinations }: Submission): Record<string, number> {
  const states: Record<string, number> = {}
  for (const ofOne of Object.values(destinations))
    for (const [state, count] of Object.entries(ofOne)) states[state] = (states[state] ?? 0) + count
  return states
}
