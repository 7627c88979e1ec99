import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import { UserError } from '../../domain/values/errors.ts'
import { createFileReader, type Line } from '../../import/lines.ts'
import { type Format, UnreadableFileError } from '../../import/pieces.ts'
import type { LineFaults } from '../../store/screens.ts'
import { operator, strangerError, wordsOf } from '../shared/client.ts'
import { EndedError, EXIT } from '../shared/exit.ts'
import { grouped, type Progress } from '../shared/progress.ts'

export const RESOURCES = {
  products: 'products',
  prices: 'prices',
  costs: 'cost-prices',
  stock: 'stock-adjustments',
  customers: 'customers',
} as const
export type What = keyof typeof RESOURCES

interface Push {
  path: string
  what: What
  format: Format
  decimal: 'point' | 'comma' | null
  ignore: readonly string[]
  /** `mode`, `force`, `directoryOnly`. */
  query: Record<string, string>
  dryRun: boolean
  wait: boolean
  idempotencyKey: string | undefined
  /** Makes another key than the file alone. */
  again: string | undefined
  url: string
  key: string
  /** Pauses before it is tried again (ms). */
  waits: readonly number[]
}

export interface Report {
  file: string
  resource: string
  idempotencyKey: string
  submission: number | null
  items: number
  accepted: number
  duplicates: number
  refused: number
  faults: LineFaults[]
  /** By state; null: not waited for. */
  deliveries: Record<string, number> | null
  unrouted: number
  failed: FailedLine[]
}

/** A warning without a line is of the whole file. */
export interface Rehearsed extends Pick<Report, 'accepted' | 'refused' | 'faults'> {
  warnings?: { line?: number | null; sort: string; text: string }[]
  warningCounts?: Record<string, number>
}

export interface FailedLine {
  line: number
  entity?: string | null
  state: string
  code?: string | null
  why?: string | null
}

interface Taken extends Pick<Report, 'accepted' | 'duplicates' | 'refused' | 'faults'> {
  id: number | null
  status?: string
}

interface Submission {
  destinations: Record<string, Record<string, number>>
  unrouted?: number
  done: boolean
  failed: FailedLine[]
}

class NoAnswerError extends Error {}

const LATER = new Set([408, 425, 429, 502, 503, 504])
const MAX_WAIT_MS = 60_000
/** A small file is done at once. */
const FIRST_POLLS_MS = [200, 300, 500]
const POLL_MS = 1_000
const MAX_LISTED = 10_000
/** Characters of NDJSON that are sent together, and bytes that are read together. */
const SENT = 64 * 1024
const READ = 256 * 1024

const NOTHING: Taken = { id: null, accepted: 0, duplicates: 0, refused: 0, faults: [] }

/**
 * Sends a file and waits until the platform has it, or has it checked. The same file makes the same key, and so continues. Throws a
 * UserError where nothing can be sent, and an EndedError that says how to go on.
 */
export async function send(
  push: Push,
  progress: Progress,
  interrupt: { signal: AbortSignal; exitCode: 130 | 143 },
): Promise<Report | Rehearsed> {
  const { path, what, format, decimal, ignore, query, again, url } = push
  const { signal } = interrupt
  const resource = RESOURCES[what]
  let onward = 'Nothing was sent'
  const ticking = setInterval(() => progress.tick(), 250)
  try {
    return await sendAll()
  } catch (error) {
    if (signal.aborted) throw new EndedError(`Interrupted. ${onward}.`, interrupt.exitCode)
    if (error instanceof NoAnswerError) throw new EndedError(`${error.message} ${onward}.`, EXIT.problem)
    throw error
  } finally {
    clearInterval(ticking)
    progress.clear()
  }

  async function sendAll(): Promise<Report | Rehearsed> {
    const { stamp, hash, lines, faults: unsent } = await survey()
    /** The hub's line n is line `lines[n - 1]` of the file. */
    const lineOf = <One extends { line?: number | null }>(one: One): One =>
      one.line ? { ...one, line: lines[one.line - 1] ?? one.line } : one
    const allFaults = (found: LineFaults[]) => [...unsent, ...found.map(lineOf)].sort((a, b) => a.line - b.line)
    const body = () => ndjson(stamp, lines.length)
    progress.clear()
    if (push.dryRun) {
      onward = 'Nothing was taken'
      const said = await ask<Rehearsed>(`${resource}?${new URLSearchParams({ ...query, dryRun: 'true' })}`, { body })
      const warnings = (said.warnings ?? []).map(lineOf)
      return { ...said, refused: said.refused + unsent.length, faults: allFaults(said.faults), warnings }
    }
    const sentAs = Object.entries(query).map(([name, value]) => (value === 'true' ? name : value))
    const made = ['push', resource, hash.slice(0, 32), ...sentAs, ...(again === undefined ? [] : [again])].join('-')
    const { idempotencyKey = made } = push
    onward = `Run the same command again${again === undefined ? '' : ` with --idempotency-key ${idempotencyKey} instead of --again`}: it continues, and nothing is taken twice`
    const taken =
      lines.length > 0 && (await ask<Taken>(`${resource}?${new URLSearchParams(query)}`, { body, idempotencyKey }))
    const { id, status, accepted, duplicates, refused, faults } = { ...NOTHING, ...taken }
    const report: Report = {
      ...{ file: path, resource, idempotencyKey, submission: id, items: lines.length + unsent.length },
      ...{ accepted, duplicates, refused: refused + unsent.length, faults: allFaults(faults) },
      ...{ deliveries: null, unrouted: 0, failed: [] },
    }
    if (status === 'duplicate' || (duplicates > 0 && accepted === 0))
      progress.say(
        `${basename(path)} was taken before, as submission ${id}. Nothing is taken twice; --again sends it once more.`,
      )
    else if (duplicates > 0)
      progress.say(`Continuing submission ${id}: ${grouped(duplicates)} items had been taken before.`)
    if (id === null || !push.wait) return report
    onward = `The hub has taken all and goes on by itself. ${onward}`
    progress.clear()
    const end = await endOf(id)
    return { ...report, ...end, failed: end.failed.map(lineOf) }
  }

  async function survey() {
    const stamp = await stampOf(path)
    const lines: number[] = []
    const faults: LineFaults[] = []
    const hash = createHash('sha256').update(JSON.stringify([what, format, decimal, ignore, stamp.said]))
    let read = 0
    const seen = (bytes: Buffer) => {
      hash.update(bytes)
      read += bytes.length
      progress.show({ doing: 'reading', done: read, of: stamp.size, unit: 'bytes' })
    }
    for await (const item of readItems(push, signal, seen))
      if ('faults' in item) faults.push(item)
      else lines.push(item.line)
    if (lines.length + faults.length === 0) throw new UserError(`${basename(path)} holds no ${what}.`)
    await requireUnchanged(path, stamp)
    return { stamp, hash: hash.digest('hex'), lines, faults }
  }

  async function* ndjson(stamp: Stamp, of: number): AsyncGenerator<Buffer> {
    // Lines and key are those of the file that was surveyed.
    await requireUnchanged(path, stamp)
    let piece = ''
    let done = 0
    for await (const item of readItems(push, signal)) {
      if ('faults' in item) continue
      piece += `${item.json}\n`
      done += 1
      if (piece.length < SENT) continue
      yield Buffer.from(piece)
      progress.show({ doing: 'sending', done, of, unit: 'items' })
      piece = ''
    }
    if (piece !== '') yield Buffer.from(piece)
    await requireUnchanged(path, stamp)
    progress.show({ doing: 'taking', done, of, unit: 'items' })
  }

  /** Asks /v1, again where nobody answers. Throws a UserError of what the hub refuses, or a NoAnswerError. */
  async function ask<T>(
    asked: string,
    { body, idempotencyKey }: { body?: () => AsyncIterable<Buffer>; idempotencyKey?: string } = {},
  ): Promise<T> {
    const headers = {
      authorization: `Bearer ${push.key}`,
      accept: 'application/json',
      'x-operator': operator(),
      ...(body && { 'content-type': 'application/x-ndjson' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    for (let tries = 0; ; tries += 1) {
      let problem: string
      let after = 0
      try {
        const sent = body && { method: 'POST' as const, body: Readable.from(body(), { objectMode: false }) }
        const answer = await request(`${url}/v1/${asked}`, { headers, signal, ...sent })
        const text = await answer.body.text()
        if (!LATER.has(answer.statusCode)) return readAnswer<T>(answer.statusCode, text)
        problem = `The hub is busy: ${saidBy(answer.statusCode, jsonOf(text))}.`
        after = Number(answer.headers['retry-after']) * 1_000 || 0
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof UserError) throw error
        problem = `No hub answers at ${url} (${wordsOf(error)}).`
      }
      const least = push.waits[tries]
      if (least === undefined) throw new NoAnswerError(problem)
      const wait = Math.min(Math.max(least, after), MAX_WAIT_MS)
      progress.say(`${problem} Trying again in ${Math.ceil(wait / 1_000)} s.`)
      await pause(wait, undefined, { signal })
    }
  }

  /** Success as JSON. Lines that were all refused are an answer too; every other refusal is a UserError. */
  function readAnswer<T>(status: number, text: string): T {
    const said = jsonOf(text)
    if (said === null) throw strangerError(url, status)
    if (status < 300) return said as T
    const { faults = [], lines = faults.length } = said
    if (status === 422 && faults.length > 0) return { accepted: 0, refused: lines, faults } as T
    if (status === 401)
      throw new UserError('The hub does not know this key. "tillbridge keys create <system> --may …" makes one.')
    throw new UserError(`The hub refuses it: ${saidBy(status, said)}`)
  }

  /** Polls until nothing of it is on its way. A held delivery waits for an operator. */
  async function endOf(id: number) {
    for (let polls = 0; ; polls += 1) {
      const { destinations, unrouted = 0, done, failed } = await ask<Submission>(`submissions/${id}`)
      const deliveries: Record<string, number> = {}
      for (const [state, count] of Object.values(destinations).flatMap(Object.entries<number>))
        deliveries[state] = (deliveries[state] ?? 0) + count
      const open = deliveries.waiting ?? 0
      if (done || open === 0) return { deliveries, unrouted, failed: await allFailed(id, failed) }
      const of = Object.values(deliveries).reduce((sum, count) => sum + count, 0)
      progress.show({ doing: 'delivering', done: of - open, of, unit: 'items' })
      await pause(FIRST_POLLS_MS[polls] ?? POLL_MS, undefined, { signal })
    }
  }

  async function allFailed(id: number, first: FailedLine[]): Promise<FailedLine[]> {
    const all = [...first]
    for (let page = first; page.length > 0 && all.length < MAX_LISTED; all.push(...page))
      page = (await ask<Submission>(`submissions/${id}?after=${page.at(-1)?.line}`)).failed
    return all
  }
}

interface Problem {
  title?: string
  detail?: string
  faults?: LineFaults[]
  lines?: number
}

function saidBy(status: number, problem: Problem | null): string {
  return `${status} ${problem?.detail ?? problem?.title ?? ''}`.trim()
}

function jsonOf(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

type Item = { line: number; json: string } | LineFaults

/** Throws a UserError where the file cannot be read as what it is. */
async function* readItems(
  { path, what, format, decimal, ignore }: Push,
  signal: AbortSignal,
  seen: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Item> {
  const reader = createFileReader({
    ...{ resource: RESOURCES[what], format, encoding: 'utf-8', columns: null, ignore },
    csv: { delimiter: null, quote: '"', decimal: decimal && (decimal === 'comma' ? ',' : '.') },
    hints: {
      decimal: '--decimal point or --decimal comma',
      unknownColumn: (column) => `To pass over it: --ignore "${column}".`,
      missingColumn: ` "push ${what} --template" prints one.`,
      notUtf8: 'Spreadsheets often save Windows-1252: save the file as "CSV UTF-8" and push it again.',
    },
  })
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ, signal }) as AsyncIterable<Buffer>) {
      seen(chunk)
      for (const line of reader.add(chunk)) yield itemOf(format, line)
    }
    for (const line of reader.end()) yield itemOf(format, line)
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw inWords(path, error)
    const where = error.line === null ? '' : `, line ${error.line}`
    throw new UserError(`${basename(path)}${where}: ${error.fault}`, { cause: error })
  }
}

function itemOf(format: Format, { line, value, faults, raws: [raw] }: Line): Item {
  if (faults.length > 0) return { line, faults }
  if (format === 'csv') return { line, json: JSON.stringify(value) }
  // As it is written, digits included.
  return { line, json: (raw?.bytes.toString() ?? '').trim() }
}

interface Stamp {
  size: number
  said: string
}

async function stampOf(path: string): Promise<Stamp> {
  const found = await stat(path).catch((error: unknown) => {
    throw inWords(path, error)
  })
  if (!found.isFile()) throw new UserError(`${path} is not a file. What comes from a pipe has to be saved first.`)
  return { size: found.size, said: `${found.size} ${found.mtimeMs}` }
}

async function requireUnchanged(path: string, before: Stamp): Promise<void> {
  if ((await stampOf(path)).said !== before.said)
    throw new UserError(`${basename(path)} was written while it was read. Wait until it is whole, and push it again.`)
}

function inWords(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ENOENT') return new UserError(`There is no file ${path}.`, { cause: error })
  if (code === 'EACCES') return new UserError(`${path} may not be read by this user.`, { cause: error })
  return error
}
