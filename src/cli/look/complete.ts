import { Command } from 'commander'
import type { Verdict } from '../../domain/ledger/completeness.ts'
import { UserError } from '../../domain/values/errors.ts'
import { counted } from '../../domain/values/text.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'
import type { Answered, NotWatched, SecondRoad, There, UnresolvedEvents } from '../../store/read-completeness.ts'
import { createClient } from '../shared/client.ts'
import { EXIT, type ExitCode } from '../shared/exit-codes.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { instantOption } from '../shared/values.ts'
import { completePage, LISTED, type Statement } from './complete-page.ts'
import { dayTable, thereTable } from './there-text.ts'

/** How it ends: an own system may close its day on 0 alone. */
const CODES: Record<Verdict, ExitCode> = { proven: EXIT.well, gaps: EXIT.missing, unknown: EXIT.unproven }

const WORDS: Record<Verdict, string> = {
  proven: 'Nothing is missing.',
  gaps: 'Something is missing: tillbridge gaps list.',
  unknown:
    'Nobody knows: it has not been looked at, or not lately enough (tillbridge jobs history ledger), or somebody has to explain something (tillbridge gaps list) or to decide about events that are named below.',
}

export const complete = new Command('complete')
  .description('Is everything here? Ends with 0: proven, 3: something is missing, 4: nobody knows')
  .addOption(instantOption('--until <when>', 'until then; otherwise until lately'))
  .option('--day <day>', 'that whole day (yyyy-mm-dd), from its beginning to its end by the clocks of the stores')
  .option('--store <number>', "in this store: its number, or the platform's id")
  .option('--destination <name>', 'both sides of one destination, day by day')
  .option('--json', 'print JSON')
  .option('--html', 'print a page to print on paper')
  .action(async ({ json, html, destination, ...asked }) => {
    const client = await createClient(process.env)
    const answer = await client.get<Answered & SecondRoad & There>('/admin/completeness', asked)
    if (destination !== undefined) return showOne(json, destination, answer)
    const code = codeOf(answer)
    show(json, answer, () => (html ? completePage(asked, statementOf(answer)) : text(answer)))
    process.exitCode = code
  })

/** Nothing is proven by an answer that says nothing of it. Throws a UserError. */
function codeOf({ verdict }: { verdict: Verdict }): ExitCode {
  const code: ExitCode | undefined = CODES[verdict]
  if (code !== undefined) return code
  throw new UserError(
    `What answers there has no verdict that this command (Tillbridge ${OWN_VERSION}) knows: it is a hub of another version, or no hub. Use the command of that version, or look at TILLBRIDGE_URL.`,
  )
}

/** How it ends says what is known of that destination alone. */
function showOne(json: boolean | undefined, name: string, { destinations = [] }: Partial<There>): void {
  const one = destinations.find((each) => each.name === name)
  if (one === undefined) {
    const known = destinations.map((each) => each.name).join(', ') || 'none'
    throw new UserError(
      `No destination "${name}" was asked; there are ${known}. tillbridge jobs run compare-destinations`,
    )
  }
  const code = codeOf(one)
  show(json, one, () => [...thereTable([one]).slice(1), '', dayTable(one)].join('\n'))
  process.exitCode = code
}

/** What the text and the page have in common. */
function statementOf({
  verdict,
  watermarks,
  byFacts,
  cannotTell,
  counts = [],
  unresolved = [],
  notWatched = [],
}: Answered & SecondRoad): Statement {
  const rows = watermarks.map(({ level, kind, storeId, from, until, verdict: one, gaps, neverSwept }) => [
    level,
    kind,
    storeId ?? 'every',
    neverSwept ? null : when(from),
    neverSwept ? null : when(until),
    neverSwept && gaps === 0 ? 'never swept' : one,
    gaps === 0 ? null : gaps,
  ])
  const taken = byFacts.map(({ why, kind, from, to }) => {
    return `Proven by facts, since ${why} from ${when(from)} to ${when(to)} (${kind}).`
  })
  const not = Object.entries(cannotTell).map(([kind, why]) => `Of ${kind} no list of the platform tells: ${why}.`)
  const notes = [...unresolved.map(unresolvedLine), ...notWatchedLines(notWatched), ...taken, ...not]
  const listed = counts.map(({ kind, storeId, ...one }) => [
    ...[kind, storeId, one.listed, one.here, one.listedSum, one.hereSum],
  ])
  return { verdict: WORDS[verdict], rows, listed, notes }
}

function text(answer: Answered & SecondRoad & There): string {
  const { verdict, rows, listed, notes } = statementOf(answer)
  const marks = table(['by', 'kind', 'store', 'from', 'until', '', 'gaps'], rows, 'No sweep has ended yet.')
  const there = thereTable(answer.destinations ?? [])
  const lists = listed.length === 0 ? [] : ['', table(LISTED, listed, '')]
  return [verdict, '', marks, ...lists, ...there, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

const UNRESOLVED: Record<UnresolvedEvents['state'], string> = { conflict: 'in conflict', quarantined: 'in quarantine' }

/** Events that are here, and acted on nowhere. */
function unresolvedLine({ kind, state, count, events, more }: UnresolvedEvents): string {
  const ids = `${events.join(', ')}${events.length < count || more ? ' …' : ''}`
  return `${count}${more ? ' or more' : ''} ${kind} ${UNRESOLVED[state]} and not dismissed (${count === 1 ? 'event' : 'events'} ${ids}): tillbridge events show ${events[0] ?? '<id>'}`
}

function notWatchedLines(all: readonly NotWatched[]): string[] {
  const line = (kinds: readonly NotWatched[], words: string) =>
    kinds.length === 0
      ? []
      : [`${words}: ${counted(kinds.length, 'kind')} (${kinds.map(({ kind }) => kind).join(', ')}).`]
  const { wanted = [], left = [] } = Object.groupBy(all, (one) => (one.wanted ? 'wanted' : 'left'))
  return [
    ...line(wanted, 'Not watched, though config subscribes to them (tillbridge subscriptions list)'),
    ...line(left, 'Not watched'),
  ]
}
