import type { LineFaults, Rehearsed, Taken } from './answers.ts'
import type { Survey } from './file.ts'
import { readItems, requireUnchanged, type Source } from './file.ts'
import type { V1 } from './hub.ts'
import type { Progress } from './progress.ts'

/** A push: what is sent, how, and where to. */
export interface Push {
  source: Source
  survey: Survey
  /** Create only; undefined: create or update. */
  mode: 'insert' | undefined
  force: boolean
  /** Customers for the hub's own directory alone. */
  directoryOnly: boolean
  v1: V1
  progress: Progress
  signal: AbortSignal
}

/** Names of the resources of /v1. */
export const RESOURCES = {
  products: 'products',
  prices: 'prices',
  costs: 'cost-prices',
  stock: 'stock-adjustments',
  customers: 'customers',
} as const

/** Sends the items of the file. What is said of lines is said of lines of the file. */
export async function send(push: Push, idempotencyKey: string): Promise<Taken> {
  const taken = await push.v1.submit({ ...sent(push), idempotencyKey })
  return { ...taken, faults: inFile(push.survey, taken.faults) }
}

/** The same, with nothing taken. */
export async function rehearse(push: Push): Promise<Rehearsed> {
  const rehearsed = await push.v1.rehearse(sent(push))
  const { warnings = [] } = rehearsed
  return {
    ...rehearsed,
    faults: inFile(push.survey, rehearsed.faults),
    warnings: warnings.map((one) => (one.line ? { ...one, line: fileLine(push.survey, one.line) } : one)),
  }
}

/** The line of the file where the hub's line n begins. */
export function fileLine({ lines }: Survey, line: number): number {
  return lines[line - 1] ?? line
}

function inFile(survey: Survey, faults: readonly LineFaults[] = []): LineFaults[] {
  return faults.map((one) => ({ ...one, line: fileLine(survey, one.line) }))
}

function sent(push: Push) {
  const query = {
    ...(push.mode && { mode: push.mode }),
    ...(push.force && { force: 'true' }),
    ...(push.directoryOnly && { directoryOnly: 'true' }),
  }
  return { resource: RESOURCES[push.source.what], query, body: () => body(push) }
}

/** The items as NDJSON, in pieces that are worth a packet. */
async function* body({ source, survey, signal, progress }: Push): AsyncGenerator<Buffer> {
  // Lines and key are those of the file that was looked at; a later try finds another one perhaps.
  await requireUnchanged(source.path, survey.stamp)
  let piece: string[] = []
  let size = 0
  let items = 0
  for await (const item of readItems(source, { signal })) {
    if ('faults' in item) continue
    piece.push(item.json, '\n')
    size += item.json.length + 1
    items += 1
    if (size < PIECE) continue
    yield Buffer.from(piece.join(''))
    progress.show({ doing: 'sending', done: items, of: survey.lines.length, unit: 'items' })
    piece = []
    size = 0
  }
  if (size > 0) yield Buffer.from(piece.join(''))
  await requireUnchanged(source.path, survey.stamp)
  progress.show({ doing: 'taking', done: items, of: items, unit: 'items' })
}

/** Characters that are sent together. */
const PIECE = 64 * 1024
