import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import type { Hinted } from '../../admin/asked.ts'
import { formatInstant, readInstant } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import type { Changed } from '../../storage/rows.ts'
import { type Client, createClient, pathPart } from './client.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { createProgress, oneLine, printError, type Step, show } from './output.ts'

export type Text = string | readonly (string | false | null)[]

interface Question<Answer> {
  about: string
  /** Adds arguments and options. */
  with?: (command: Command) => Command
  /** Default: the options as typed. */
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  asked?: (options: Record<string, any>, ...given: any[]) => Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: as commander has options.
  text: (answer: Answer, asked: Record<string, any>, client: Client) => Text | Promise<Text>
  exit?: (answer: Answer) => ExitCode | undefined
}

/** A command that is one request: arguments fill `:names` of the path, options are the query or the body. */
export function asks<Answer>(
  name: string,
  ask: `${'GET' | 'POST'} /admin/${string}`,
  { about, with: extend = (plain) => plain, asked, text, exit }: Question<Answer>,
): Command {
  const command = extend(new Command(name).description(about))
  return command.option('--json', 'print JSON').action(async () => {
    const { json, ...options } = command.opts()
    const given = asked?.(options, ...command.processedArgs) ?? options
    const [method, path = ''] = ask.split(' ')
    const parts = [...command.processedArgs]
    const filled = path.replace(/:\w+/g, () => pathPart(String(parts.shift())))
    const client = await createClient(process.env)
    const answer = await (method === 'GET' ? client.get<Answer>(filled, given) : client.post<Answer>(filled, given))
    const code = exit?.(answer)
    const said = json ? '' : await text(answer, given, client)
    show(json, answer, () => joined(said))
    if (code !== undefined) process.exitCode = code
  })
}

export function group(name: string, about: string, ...commands: Command[]): Command {
  const whole = new Command(name).description(about)
  for (const command of commands) whole.addCommand(command)
  return whole
}

export function joined(text: Text, between = '\n'): string {
  return typeof text === 'string' ? text : text.filter((one) => one !== false && one !== null).join(between)
}

export function changing(command: Command): Command {
  return command
    .option('--dry-run', 'count and show, change nothing')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
}

export function paging(command: Command): Command {
  return command.option('--before <id>', 'older than this one', numberOf).addOption(limitOption())
}

export function moreLines(rows: readonly unknown[], limit: number, onward: string): string[] {
  return rows.length < limit ? [] : [`There may be more: ${onward}.`]
}

const NO_FILTER = new Set(['dryRun', 'reason', 'json', 'again', 'limit', 'from', 'to'])

export function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number, such as 77.')
}

export function limitOption(words = 'so many, 500 at most'): Option {
  return new Option('--limit <n>', words).argParser(countOf).default(50)
}

/** Of an argument that may be given several times. */
export function numbersOf(text: string, before: number[] = []): number[] {
  return [...before, numberOf(text)]
}

function countOf(text: string): number {
  if (/^0*[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number from 1, such as 50.')
}

/** "2h" is left to the hub's clock. */
function instantForHub(text: string): string {
  const instant = readInstant(text, Date.now())
  if (instant === null)
    throw new InvalidArgumentError('It is an instant, such as 2026-11-20T08:00Z, or how long ago: 45m, 2h, 3d.')
  return /[smhd]$/.test(text) ? text : formatInstant(instant)
}

export function idArgument(
  name: '<id>' | '[id]',
  list: 'events list' | 'deliveries list' | 'audit list' | 'gaps list',
): Argument {
  return new Argument(name, `its number, as "${list}" shows it`).argParser(numberOf)
}

export function instantOption(flags: string, words: string): Option {
  return new Option(flags, `${words}: 2h, 3d, or 2026-11-20T08:00Z`).argParser(instantForHub)
}

export function choice(flags: string, words: string, choices: readonly string[]): Option {
  return new Option(flags, words).choices(choices)
}

const EVENT_STATES = ['routed', 'unrouted', 'quarantined']
const DELIVERY_STATES = ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']

export function selectDeliveries(command: Command): Command {
  return command
    .option('--destination <name>', 'for this destination')
    .addOption(choice('--state <state>', 'in this state', DELIVERY_STATES))
    .option('--kind <kind>', 'of events of this kind')
    .option('--flow <flow>', 'of this flow')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .option('--event <id>', 'of this event', numberOf)
    .option('--code <code>', 'failed or held with this code, such as unbalanced (deliveries show has it)')
    .addOption(instantOption('--since <when>', 'of events taken since'))
    .addOption(instantOption('--until <when>', 'of events taken before'))
}

export function selectEvents(command: Command): Command {
  return command
    .option('--kind <kind>', 'of this kind')
    .addOption(choice('--state <state>', 'in this state', EVENT_STATES))
    .option('--conflict', 'that contradict an earlier one')
    .option('--reused-key', 'that came under the event id of another one')
    .option('--dismissed', 'dismissed by an operator')
    .option('--no-dismissed', 'not dismissed')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .addOption(instantOption('--since <when>', 'taken since'))
    .addOption(instantOption('--until <when>', 'taken before'))
}

/** Ctrl-C waits for one request. */
const THINGS_PER_REQUEST = 1_000
const SAMPLE = 10
const NO_COUNTS = new Set(['act', 'matched', 'next'])

const NOUNS = { events: 'event', deliveries: 'delivery', gaps: 'gap' } as const
type List = keyof typeof NOUNS

export interface PartAsked {
  act: number | null
  after: number
  most: number
}

interface PartDone {
  act: number | null
  next: number | null
  /** `matched` null: not counted. */
  matched?: number | null
  changed?: number
  looked?: number
}

/** Executes a long act in parts and adds up their counts. Ctrl-C, or a failure, ends it between two parts; `rest`: how to continue. */
export async function inParts<Done extends PartDone>(
  doing: Step['doing'],
  ask: (part: PartAsked) => Promise<Done>,
  rest: (act: number) => string = () => 'The same command does the rest.',
): Promise<Done> {
  using interrupt = listenForInterrupt()
  const progress = createProgress(process.stderr)
  let all = await ask({ act: null, after: 0, most: THINGS_PER_REQUEST })
  try {
    while (all.next !== null && !interrupt.signal.aborted) {
      const { changed = 0, looked = changed, matched = null } = all
      progress.show({ doing, done: looked, of: matched })
      const more = await ask({ act: all.act, after: all.next, most: THINGS_PER_REQUEST })
      all = { ...(added(all, more) as Done), next: more.next }
    }
  } catch (error) {
    progress.clear()
    printError(`Broken off. ${doneText(all)}`)
    throw error
  }
  progress.clear()
  if (all.next !== null) {
    printError(`Stopped. ${doneText(all)}`)
    process.exitCode = interrupt.exitCode
  }
  return all

  function doneText({ act }: Done): string {
    return act === null ? 'Nothing was changed.' : `What is done stays done; it is audit entry ${act}. ${rest(act)}`
  }
}

/** Adds numbers, also in nested maps; keeps the first rows of the sample. */
function added(all: object, more: object): object {
  const sums = Object.keys({ ...all, ...more }).map((name) => {
    const [value, other]: unknown[] = [Reflect.get(all, name), Reflect.get(more, name)]
    if (value === undefined || other === undefined) return [name, value ?? other]
    if (typeof value === 'number') return [name, NO_COUNTS.has(name) ? value : value + Number(other)]
    if (name === 'sample' && Array.isArray(value)) return [name, value.concat(other).slice(0, SAMPLE)]
    const areMaps = [value, other].every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
    return [name, areMaps ? added(value as object, other as object) : value]
  })
  return Object.fromEntries(sums)
}

export async function changeAll<Row, Done extends Changed<Row> = Changed<Row> & Partial<Hinted>>(
  path: string,
  asked: { dryRun: boolean } & Record<string, unknown>,
): Promise<Done> {
  const client = await createClient(process.env)
  return asked.dryRun
    ? await client.post<Done>(path, asked)
    : await inParts('changing', (part) => client.post<Done>(path, { ...asked, part }))
}

interface Change<Row, Done> {
  list: List
  about: string
  /** Adds the options that select. */
  select: (command: Command) => Command
  rows?: (sample: Row[]) => string
  more?: (options: Record<string, unknown>) => object
  ask?: (client: Client, asked: object) => Promise<Done>
  text?: (done: Done, dryRun: boolean) => string
  isLeft?: (done: Done, dryRun: boolean) => boolean
}

/** A command on one thing by id, or on all that its options select. */
export function changesOf<Row, Done extends PartDone = Changed<Row>>(verb: string, change: Change<Row, Done>): Command {
  const { list, about, select, rows, more, ask } = change
  const { isLeft = ({ matched, changed = 0 }: PartDone, dryRun) => (dryRun ? matched : changed) === 0 } = change
  const defaultText = (done: unknown, dryRun: boolean) =>
    changedText(done as Changed<Row>, { verb, list, dryRun, ...(rows && { rows }) })
  const { text = defaultText } = change
  return changing(select(new Command(verb)).description(about))
    .addArgument(idArgument('[id]', `${list} list` as const))
    .action(async (id: number | undefined, options) => {
      const { dryRun = false, reason = null, json } = options
      const selected = Object.entries(options).filter(([name]) => !NO_FILTER.has(name))
      const filter = { ...Object.fromEntries(selected), ...(id !== undefined && { id }) }
      const asked = { filter, dryRun, reason, ...more?.(options) }
      const client = await createClient(process.env)
      const done = ask ? await ask(client, asked) : await changeAll<unknown, never>(`/admin/${list}/${verb}`, asked)
      const left = id !== undefined && isLeft(done, dryRun) ? await leftText(client, list, id, verb) : null
      const { hint = null } = done as Partial<Hinted>
      const lines = [text(done, dryRun), hint && oneLine(hint), left].filter((one) => one !== null)
      show(json, { ...done, ...(left !== null && { problems: [{ says: left }] }) }, () => lines.join('\n'))
      if (left !== null) process.exitCode = EXIT.input
    })
}

/** Why a command changed nothing. Throws a UserError for an unknown id. */
async function leftText(client: Client, list: List, id: number, verb: string): Promise<string> {
  const { state, why = null } = await client.get<{ state: string; why?: string | null }>(`/admin/${list}/${id}`)
  const because = why === null ? '' : ` (${oneLine(why)})`
  return `${NOUNS[list].replace(/^./, (first) => first.toUpperCase())} ${id} is ${state}: ${verb} changes nothing of that${because}.`
}

export function changedText<Row>(
  { matched, changed, sample, act }: Changed<Row>,
  {
    verb,
    list,
    dryRun,
    rows,
    notes = [],
  }: { verb: string; list: List; dryRun: boolean; rows?: (sample: Row[]) => string; notes?: readonly string[] },
): string {
  const all = matched ?? changed
  const what = pluralize(all, NOUNS[list])
  const done = all === 0 ? `no ${NOUNS[list]} is one that it changes` : `${changed} of ${what}`
  return [
    dryRun ? `${verb} would touch ${what}. Nothing was changed.` : `${verb}: ${done} (audit entry ${act}).`,
    ...notes,
    ...(rows && sample.length > 0 ? ['', ...(dryRun ? [] : ['Now:']), rows(sample)] : []),
    ...(rows && all > sample.length ? [`… and ${all - sample.length} more.`] : []),
  ].join('\n')
}
