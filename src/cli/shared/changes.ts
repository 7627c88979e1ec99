import { Command } from 'commander'
import type { Hinted } from '../../admin/asked.ts'
import { pluralize } from '../../domain/values/text.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import type { Changed } from '../../storage/rows.ts'
import { type Client, createClient } from './client.ts'
import { EXIT } from './exit.ts'
import { changing, filterOf, idArgument } from './options.ts'
import { complain, oneLine, show } from './output.ts'
import { createProgress, type Step } from './progress.ts'

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
    complain(`Broken off. ${doneText(all)}`)
    throw error
  }
  progress.clear()
  if (all.next !== null) {
    complain(`Stopped. ${doneText(all)}`)
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
  const { list, about, select, rows, more, ask, isLeft = changedNothing } = change
  const defaultText = (done: unknown, dryRun: boolean) =>
    changedText(done as Changed<Row>, { verb, list, dryRun, ...(rows && { rows }) })
  const { text = defaultText } = change
  return changing(select(new Command(verb)).description(about))
    .addArgument(idArgument('[id]', `${list} list` as const))
    .action(async (id: number | undefined, options) => {
      const { dryRun = false, reason = null, json } = options
      const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
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

function changedNothing({ matched = null, changed = 0 }: PartDone, dryRun: boolean): boolean {
  return (dryRun ? matched : changed) === 0
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
  }: {
    verb: string
    list: List
    dryRun: boolean
    rows?: (sample: Row[]) => string
    notes?: readonly string[]
  },
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
