import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { request } from 'undici'
import { PUSH_DELAYS } from '../domain/queue/retry.ts'
import { UserError } from '../domain/values/errors.ts'
import { createFileReader, FORMATS, type Format, formatOf, type Line, UnreadableFileError } from '../import/lines.ts'
import { listenForInterrupt } from '../lib/interrupt.ts'
import type { LineFaults, SubmissionItem } from '../storage/rows.ts'
import { hubUrl, operator, parsed, requireSendable, strangerError, wordsOf } from './shared/client.ts'
import { joined, numberOf } from './shared/command.ts'
import { EXIT, ExitError } from './shared/exit.ts'
import { createProgress, grouped, oneLine, say, show } from './shared/output.ts'

/** `/v1/{resource}`. */
const RESOURCES = {
  products: 'products',
  prices: 'prices',
  costs: 'cost-prices',
  stock: 'stock-adjustments',
  customers: 'customers',
} as const
type What = keyof typeof RESOURCES

export const push = new Command('push')
  .description('Send a file of master data to the hub, which brings it to the platform')
  .addCommand(
    pushOf('products', 'Products')
      .addOption(
        new Option('--mode <mode>', 'insert: leave alone what the platform has already')
          .choices(['upsert', 'insert'])
          .default('upsert'),
      )
      .option('--force', 'send on also what the platform acknowledged as it is'),
  )
  .addCommand(pushOf('prices', 'Prices of price lists'))
  .addCommand(pushOf('costs', 'Costs, of a currency or a stock'))
  .addCommand(pushOf('stock', 'Stock levels, not changes'))
  .addCommand(
    pushOf('customers', 'Customers').option(
      '--directory',
      "only for the hub's own directory, which answers lookups; not for the platform",
    ),
  )

function pushOf(what: What, description: string): Command {
  return new Command(what)
    .description(description)
    .argument('[file]', '.csv or .ndjson, in UTF-8')
    .option('--template', 'print a CSV file to begin with')
    .option('--dry-run', 'have the file checked; nothing is taken')
    .option('--no-wait', 'end when the hub has it, not when the platform has it')
    .option('--again', 'send a file once more that was taken before')
    .option('--idempotency-key <key>', 'the name of this push, instead of one made of the file')
    .addOption(new Option('--format <format>', 'what the file is, if its name does not say').choices(FORMATS))
    .addOption(new Option('--decimal <sign>', 'how the numbers of a CSV file are written').choices(['point', 'comma']))
    .option(
      '--ignore <columns>',
      'columns of a CSV file to pass over, with commas between',
      (text: string) => text.split(',').map((part) => part.trim()),
      [],
    )
    .option('--retries <count>', 'how often to try again when no hub answers', numberOf, 5)
    .option('--json', 'print JSON')
    .action((file: string | undefined, options: Options) => run(what, file, options))
}

const TEMPLATES = join(import.meta.dirname, '..', '..', 'config', 'push')

export async function template(what: What): Promise<string> {
  return (await readFile(join(TEMPLATES, `${what}.csv`), 'utf8')).trimEnd()
}

// biome-ignore lint/suspicious/noExplicitAny: as commander has options.
type Options = Record<string, any>

interface Taken {
  id?: number
  accepted: number
  duplicates?: number
  refused: number
  faults: LineFaults[]
  /** Of a dry run; a warning without a line is of the whole file. */
  warnings?: { line?: number | null; sort: string; text: string }[]
  warningCounts?: Record<string, number>
}

interface Submission {
  destinations: Record<string, Record<string, number>>
  unrouted?: number
  done: boolean
  failed: Pick<SubmissionItem, 'line' | 'entity' | 'state' | 'code' | 'why'>[]
}

/** `deliveries`: by state; null: not waited for. */
type End = Required<Pick<Submission, 'unrouted' | 'failed'>> & { deliveries: Record<string, number> | null }
type Report = Required<Omit<Taken, 'id' | 'warnings' | 'warningCounts'>> & End & { submission: number | null }

const LATER = new Set([408, 425, 429, 502, 503, 504])
const MAX_WAIT_MS = 60_000
const POLL_MS = 500
const MAX_LISTED = 10_000

async function run(what: What, file: string | undefined, options: Options): Promise<void> {
  const { again, dryRun = false, wait, json } = options
  const resource = RESOURCES[what]
  if (options.template) return say(await template(what))
  if (file === undefined)
    throw new UserError(`Say which file: push ${what} <file>. --template prints one to begin with.`)
  const { TILLBRIDGE_KEY: key } = process.env
  if (!key)
    throw new UserError(
      `Set TILLBRIDGE_KEY to an API key. "tillbridge keys create <system> --may ${resource}" makes one, at the hub.`,
    )
  const authorization = `Bearer ${requireSendable('TILLBRIDGE_KEY', key)}`
  const url = await hubUrl(process.env)
  using interrupt = listenForInterrupt()
  const { signal } = interrupt
  const progress = createProgress(process.stderr)
  let onward = 'Nothing was sent'
  try {
    await send(file)
  } catch (error) {
    if (signal.aborted) throw new ExitError(`Interrupted. ${onward}.`, interrupt.exitCode)
    throw error
  } finally {
    progress.clear()
  }

  async function send(path: string): Promise<void> {
    const { chunks, lines, faults: unsent, hash } = await readItems(what, path, options, signal)
    const query = {
      ...(options.mode === 'insert' && { mode: 'insert' }),
      ...(options.force && { force: 'true' }),
      ...(options.directory && { directoryOnly: 'true' }),
    }
    const { idempotencyKey = `push-${resource}-${hash}` } = options
    const how = again ? ` with --idempotency-key ${idempotencyKey} instead of --again` : ''
    onward = dryRun ? 'Nothing was taken' : `Run the same command again${how}: it continues, and nothing is taken twice`

    const asked = `${resource}?${new URLSearchParams({ ...query, ...(dryRun && { dryRun: 'true' }) })}`
    const post = { body, ...(!dryRun && { idempotencyKey }) }
    const taken = lines.length > 0 ? await ask<Taken>(asked, post) : { accepted: 0, refused: 0, faults: [] }
    progress.clear()
    const { id: submission = null, accepted, duplicates = 0, warnings = [] } = taken
    const faults = [...unsent, ...taken.faults.map(lineOf)].sort((a, b) => a.line - b.line)
    const refused = taken.refused + unsent.length
    if (dryRun) {
      const checked = { ...taken, refused, faults, warnings: warnings.map(lineOf) }
      show(json, checked, () => checkedText(checked))
      process.exitCode = refused === 0 ? EXIT.well : EXIT.problem
      return
    }
    onward = `The hub has taken all and goes on by itself. ${onward}`
    const end = submission !== null && wait ? await endOf(submission) : { deliveries: null, unrouted: 0, failed: [] }
    const report: Report = { submission, accepted, duplicates, refused, faults, ...end, failed: end.failed.map(lineOf) }
    const items = lines.length + unsent.length
    show(json, { file: path, resource, idempotencyKey, items, ...report }, () => reportText(report))
    const { dead = 0, held = 0 } = end.deliveries ?? {}
    const isWell = submission !== null && refused + end.unrouted + end.failed.length + dead + held === 0
    process.exitCode = isWell ? EXIT.well : EXIT.problem

    function* body(): Generator<Buffer> {
      for (const { bytes, upTo } of chunks) {
        yield bytes
        const doing = upTo < lines.length ? 'sending' : 'taking'
        progress.show({ doing, done: upTo, of: lines.length })
      }
    }

    /** The hub's line n is line `lines[n - 1]` of the file. */
    function lineOf<One extends { line?: number | null }>(one: One): One {
      return one.line ? { ...one, line: lines[one.line - 1] ?? one.line } : one
    }
  }

  /** Retries without an answer. Throws a UserError for a refusal, an ExitError after the last try. */
  async function ask<T>(
    path: string,
    { body, idempotencyKey }: { body?: () => Iterable<Buffer>; idempotencyKey?: string } = {},
  ): Promise<T> {
    const headers = {
      ...{ authorization, accept: 'application/json', 'x-operator': operator() },
      ...(body && { 'content-type': 'application/x-ndjson' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    for (let tries = 0; ; tries += 1) {
      let problem: string
      let after = 0
      try {
        const sent = body && { method: 'POST' as const, body: Readable.from(body(), { objectMode: false }) }
        const answer = await request(`${url}/v1/${path}`, { headers, signal, ...sent })
        const said = parsed(await answer.body.text()) as Problem | null | undefined
        if (!LATER.has(answer.statusCode)) return readAnswer<T>(url, answer.statusCode, said)
        problem = `The hub is busy: ${problemText(answer.statusCode, said)}.`
        after = Number(answer.headers['retry-after']) * 1_000 || 0
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof UserError) throw error
        problem = `No hub answers at ${url} (${wordsOf(error)}).`
      }
      const least = PUSH_DELAYS[tries]
      if (least === undefined || tries >= options.retries) throw new ExitError(`${problem} ${onward}.`, EXIT.problem)
      const wait = Math.min(Math.max(least, after), MAX_WAIT_MS)
      progress.say(`${problem} Trying again in ${Math.ceil(wait / 1_000)} s.`)
      await pause(wait, undefined, { signal })
    }
  }

  /** Polls until nothing is pending. */
  async function endOf(id: number): Promise<End> {
    for (;;) {
      const { destinations, unrouted = 0, done, failed } = await ask<Submission>(`submissions/${id}`)
      const deliveries: Record<string, number> = {}
      for (const [state, count] of Object.values(destinations).flatMap(Object.entries<number>))
        deliveries[state] = (deliveries[state] ?? 0) + count
      const open = deliveries.waiting ?? 0
      if (done || open === 0) {
        for (let page = failed; page.length > 0 && failed.length < MAX_LISTED; failed.push(...page))
          page = (await ask<Submission>(`submissions/${id}?after=${page.at(-1)?.line}`)).failed
        return { deliveries, unrouted, failed }
      }
      const of = Object.values(deliveries).reduce((sum, count) => sum + count, 0)
      progress.show({ doing: 'delivering', done: of - open, of })
      await pause(POLL_MS, undefined, { signal })
    }
  }
}

interface Problem {
  title?: string
  detail?: string
  faults?: LineFaults[]
  lines?: number
}

/** Throws a UserError, unless each line was refused for itself. */
function readAnswer<T>(url: string, status: number, answer: Problem | null | undefined): T {
  if (!answer) throw strangerError(url, status)
  if (status < 300) return answer as T
  const { faults = [], lines = faults.length } = answer
  if (status === 422 && faults.length > 0) return { accepted: 0, refused: lines, faults } as T
  if (status === 401)
    throw new UserError('The hub does not know this key. "tillbridge keys create <system> --may …" makes one.')
  throw new UserError(`The hub refuses it: ${problemText(status, answer)}`)
}

function problemText(status: number, problem: Problem | null | undefined): string {
  return `${status} ${problem?.detail ?? problem?.title ?? ''}`.trim()
}

const CHUNK = 64 * 1024

interface Items {
  /** NDJSON; `upTo`: items sent with it. */
  chunks: { bytes: Buffer; upTo: number }[]
  /** Line of each item in the file. */
  lines: number[]
  faults: LineFaults[]
  hash: string
}

/** Read in full first: all tries send the same bytes. Throws a UserError. */
async function readItems(what: What, path: string, options: Options, signal: AbortSignal): Promise<Items> {
  const { decimal = null, ignore } = options
  const name = basename(path)
  const format: Format | null = options.format ?? formatOf(path)
  if (!format)
    throw new UserError(
      `${name} does not end in .csv, .tsv, .ndjson or .jsonl: say --format csv or ndjson. A JSON array is made NDJSON by: jq -c '.[]'`,
    )
  const items: Items = { chunks: [], lines: [], faults: [], hash: '' }
  let ndjson = ''
  function flush(): void {
    if (ndjson !== '') items.chunks.push({ bytes: Buffer.from(ndjson), upTo: items.lines.length })
    ndjson = ''
  }
  function take(all: Iterable<Line>): void {
    for (const one of all) {
      const { line, faults } = one
      if (faults.length > 0) items.faults.push({ line, faults })
      else {
        items.lines.push(line)
        // JSON is sent as written, digits included.
        ndjson += `${format === 'csv' ? JSON.stringify(one.value) : (one.raws[0]?.bytes.toString() ?? '').trim()}\n`
      }
      if (ndjson.length >= CHUNK) flush()
    }
  }
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
    const written = await stampOf(path)
    const { mode, force, directory, again } = options
    const how = [what, format, decimal, ignore, mode, force, directory, again && Date.now(), written]
    const hash = createHash('sha256').update(JSON.stringify(how))
    for await (const bytes of createReadStream(path, { highWaterMark: CHUNK, signal }) as AsyncIterable<Buffer>) {
      hash.update(bytes)
      take(reader.add(bytes))
    }
    take(reader.end())
    flush()
    if ((await stampOf(path)) !== written)
      throw new UserError(`${name} was written while it was read. Wait until it is whole, and push it again.`)
    items.hash = hash.digest('hex').slice(0, 32)
  } catch (cause) {
    if (!(cause instanceof UnreadableFileError)) {
      if (!(cause instanceof Error && 'syscall' in cause)) throw cause
      throw new UserError(`${path} cannot be read: ${cause.message}.`, { cause })
    }
    const where = cause.line === null ? '' : `, line ${cause.line}`
    throw new UserError(`${name}${where}: ${cause.fault}`, { cause })
  }
  if (items.lines.length + items.faults.length === 0) throw new UserError(`${name} holds no ${what}.`)
  return items
}

async function stampOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path)
  return `${size} ${mtimeMs}`
}

const MAX_SHOWN = 20

function checkedText({ accepted, refused, faults, warnings = [], warningCounts = {} }: Taken): string {
  const count = Object.values(warningCounts).reduce((sum, one) => sum + one, 0)
  const texts = warnings.map(({ line, sort, text }) => `${line ? `line ${line}: ` : ''}${sort}: ${text}`)
  return joined([
    `${grouped(accepted)} would be taken, ${grouped(refused)} refused. Nothing was taken.`,
    ...faultsText('Faults:', refused, faults),
    ...listText('Taken all the same, though the POS or reports will miss it:', texts, count),
  ])
}

function reportText(report: Report): string {
  const { submission, accepted, duplicates, refused, faults, deliveries, unrouted, failed } = report
  const before = duplicates > 0 ? `, ${grouped(duplicates)} were taken before` : ''
  const states = Object.entries({ delivered: 0, ...deliveries })
    .filter(([state, count]) => count > 0 || state === 'delivered')
    .map(([state, count]) => `${grouped(count)} ${state}`)
  const failures = failed.map(({ line, entity, state, why, code }) => {
    const about = entity ? ` (${entity})` : ''
    return `line ${line}${about}: ${state === 'held' ? 'held: ' : ''}${why ?? code ?? state}`
  })
  return joined([
    submission === null
      ? 'Nothing was taken.'
      : `Submission ${submission}: ${grouped(accepted)} taken${before}, ${grouped(refused)} refused.`,
    duplicates > 0 && accepted === 0 && 'Nothing is taken twice; --again sends it once more.',
    ...faultsText(`${grouped(refused)} refused, not sent on:`, refused, faults),
    deliveries !== null && `Deliveries: ${states.join(', ')}.`,
    unrouted > 0 &&
      `${grouped(unrouted)} wanted by no destination: the config has no platform, nor lookups.customers for customers.`,
    ...listText('Failed:', failures),
    failed.length > 0 && 'They are in "tillbridge deliveries list --state dead", and can be retried from there.',
  ])
}

function faultsText(head: string, count: number, all: readonly LineFaults[]): string[] {
  const texts = all.flatMap(({ line, faults }) => faults.map((fault) => `line ${line}: ${fault}`))
  return listText(head, texts, texts.length + count - all.length)
}

function listText(head: string, texts: readonly string[], count = texts.length): string[] {
  if (count === 0) return []
  const shown = texts.slice(0, MAX_SHOWN).map((text) => oneLine(`  ${text}`))
  const more = count - shown.length
  return [head, ...shown, ...(more > 0 ? [`  … and ${grouped(more)} more (--json)`] : [])]
}
