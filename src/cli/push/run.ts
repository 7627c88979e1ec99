import { basename } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'
import type { Rehearsed } from './answers.ts'
import { type Source, type Survey, surveyFile } from './file.ts'
import { NoAnswerError, type V1 } from './hub.ts'
import type { Progress } from './progress.ts'
import type { Report } from './report.ts'
import { fileLine, type Push, RESOURCES, rehearse, send } from './send.ts'
import { grouped } from './step-text.ts'
import { waitFor } from './wait.ts'

/** A push, as it was asked for. */
export interface Wish {
  source: Source
  mode: 'insert' | undefined
  force: boolean
  /** Customers for the hub's own directory alone. */
  directoryOnly: boolean
  /** Wait until the platform has it. */
  wait: boolean
  /** Instead of the one that the file makes. */
  idempotencyKey: string | undefined
  /** Makes another key than the file alone: the same file counts as a new push. */
  again: string | undefined
  v1: V1
  progress: Progress
  signal: AbortSignal
}

/** A push that was stopped by a person, or that the network gave up; `message` says how to go on. */
export class InterruptedError extends UserError {
  override name = 'InterruptedError'
  /** Ctrl-C, not the network. */
  readonly byPerson: boolean

  constructor(message: string, byPerson: boolean) {
    super(message)
    this.byPerson = byPerson
  }
}

/** Sends a file with nothing taken. Faults that keep an item from being sent are among those of the report. */
export async function rehearsePush(wish: Wish): Promise<Rehearsed> {
  const survey = await surveyed(wish)
  const rehearsed = await going(wish, 'Nothing was taken', () => rehearse({ ...wish, survey }))
  return {
    ...rehearsed,
    refused: rehearsed.refused + survey.faults.length,
    faults: merged(survey, rehearsed.faults),
  }
}

/**
 * Sends a file, and waits until the platform has it. The same file again continues, since it makes the same key.
 *
 * Throws a UserError where nothing can be sent; an InterruptedError that says how to go on.
 */
export async function runPush(wish: Wish): Promise<Report> {
  const { progress, source, v1, signal } = wish
  const survey = await surveyed(wish)
  const idempotencyKey = wish.idempotencyKey ?? keyOf(wish, survey)
  const onward = `Run the same command again${wish.again === undefined ? '' : ` with --idempotency-key ${idempotencyKey} instead of --again`}: it continues, and nothing is taken twice`
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

  const push: Push = { ...wish, survey }
  const taken = await going(wish, onward, () => send(push, idempotencyKey))
  Object.assign(report, {
    submission: taken.id ?? null,
    accepted: taken.accepted ?? 0,
    duplicates: taken.duplicates ?? 0,
    refused: survey.faults.length + (taken.refused ?? 0),
    faults: merged(survey, taken.faults),
  })
  tellDuplicates(report, taken.status, progress)
  if (report.submission === null || !wish.wait) return report

  const id = report.submission
  const words = `The hub has taken all and goes on by itself. ${onward}`
  const { states, unrouted, failed } = await going(wish, words, () => waitFor(id, v1, progress, signal))
  const inFile = failed.map((one) => ({ ...one, line: fileLine(survey, one.line) }))
  return { ...report, deliveries: states, unrouted, failed: inFile }
}

async function surveyed({ source, progress, signal }: Wish): Promise<Survey> {
  return await going({ signal, progress }, 'Nothing was sent', () =>
    surveyFile(source, {
      signal,
      progress: (done, of) => progress.show({ doing: 'reading', done, of, unit: 'bytes' }),
    }),
  )
}

/** Does a part; says how to go on where it was interrupted. */
async function going<T>(
  { signal, progress }: Pick<Wish, 'signal' | 'progress'>,
  onward: string,
  part: () => Promise<T>,
): Promise<T> {
  const ticking = setInterval(() => progress.tick(), TICK)
  try {
    return await part()
  } catch (error) {
    if (signal.aborted) throw new InterruptedError(`Interrupted. ${onward}.`, true)
    if (error instanceof NoAnswerError) throw new InterruptedError(`${error.message} ${onward}.`, false)
    throw error
  } finally {
    clearInterval(ticking)
    progress.clear()
  }
}

/** Milliseconds. */
const TICK = 250

/** A file makes one key, for as long as it is not written again. */
function keyOf({ mode, force, directoryOnly, again, source }: Wish, { hash }: Survey): string {
  const variant = [mode, force && 'force', directoryOnly && 'directory', again]
    .filter((part) => part)
    .map((part) => `-${part}`)
  return `push-${RESOURCES[source.what]}-${hash.slice(0, 32)}${variant.join('')}`
}

function tellDuplicates(
  { duplicates, accepted, submission, file }: Report,
  status: string | undefined,
  progress: Progress,
) {
  if (status === 'duplicate' || (duplicates > 0 && accepted === 0))
    progress.say(
      `${basename(file)} was taken before, as submission ${submission}. Nothing is taken twice; --again sends it once more.`,
    )
  else if (duplicates > 0)
    progress.say(`Continuing submission ${submission}: ${grouped(duplicates)} items had been taken before.`)
}

function merged({ faults }: Survey, ofHub: Report['faults']): Report['faults'] {
  return [...faults, ...ofHub].sort((a, b) => a.line - b.line)
}
