import { Command } from 'commander'
import { html, raw } from 'hono/html'
import type { GapList, GapView } from '../admin/completeness.ts'
import type { Verdict } from '../domain/completeness/completeness.ts'
import type { StoredGap } from '../domain/completeness/gap.ts'
import type { DestinationCompleteness } from '../domain/completeness/held-there.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import type {
  CompletenessResult,
  NotWatched,
  SecondSource,
  There,
  UnresolvedEvents,
} from '../storage/read-completeness.ts'
import { createClient } from './shared/client.ts'
import {
  asks,
  changesOf,
  group,
  idArgument,
  instantOption,
  limitOption,
  moreLines,
  numberOf,
} from './shared/command.ts'
import { EXIT, type ExitCode } from './shared/exit.ts'
import { type Columns, cellsOf, oneLine, show, tableOf, when } from './shared/output.ts'

/** Own systems close their day on 0 alone. */
const CODES: Record<Verdict, ExitCode> = { proven: EXIT.well, gaps: EXIT.missing, unknown: EXIT.unproven }

const WORDS: Record<Verdict, string> = {
  proven: 'Nothing is missing.',
  gaps: 'Something is missing: tillbridge gaps list.',
  unknown:
    'Unknown: it was not scanned, or not lately enough (tillbridge jobs history reconcile-log), or an operator has to explain something (tillbridge gaps list) or to decide about events that are named below.',
}

const UNRESOLVED: Record<UnresolvedEvents['state'], string> = { conflict: 'in conflict', quarantined: 'in quarantine' }

const MARKS: Columns<CompletenessResult['watermarks'][number]> = {
  by: 'level',
  kind: 'kind',
  store: ({ storeId }) => storeId ?? 'every',
  from: ({ neverScanned, from }) => (neverScanned ? null : when(from)),
  until: ({ neverScanned, until }) => (neverScanned ? null : when(until)),
  verdict: ({ neverScanned, gaps, verdict }) => (neverScanned && gaps === 0 ? 'never scanned' : verdict),
  gaps: ({ gaps }) => gaps || null,
}

const LISTED: Columns<SecondSource['counts'][number]> = {
  kind: 'kind',
  store: 'storeId',
  listed: 'listed',
  here: 'here',
  'sum listed': 'listedSum',
  'sum here': 'hereSum',
}

const THERE: Columns<DestinationCompleteness> = {
  destination: 'name',
  'asked from': ({ from }) => when(from),
  until: ({ until }) => when(until),
  verdict: ({ cannot, verdict }) => (cannot === null ? verdict : 'cannot be asked'),
  gaps: ({ gaps }) => gaps || null,
  open: ({ open }) => open || null,
  '': ({ cannot, problem }) => cannot ?? problem,
}

const DAYS: Columns<DestinationCompleteness['days'][number]> = {
  day: 'day',
  flow: 'flow',
  given: 'given',
  there: 'there',
  unknown: ({ unknown }) => unknown || null,
  'sum given': ({ currency, givenSum }) => currency && givenSum,
  'sum there': ({ currency, thereSum }) => currency && thereSum,
  '': 'currency',
}

const STYLE = `
@page { margin: 18mm }
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
h1 { font-size: 1.5rem } table { border-collapse: collapse; width: 100% } tr { break-inside: avoid }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top }`

export const complete = new Command('complete')
  .description('Is everything here? Exit code 0: proven, 3: something is missing, 4: unknown')
  .addOption(instantOption('--until <when>', 'until then; otherwise until lately'))
  .option('--day <day>', 'that whole day (yyyy-mm-dd), from its beginning to its end by the clocks of the stores')
  .option('--store <number>', "in this store: its number, or the platform's id")
  .option('--destination <name>', 'both sides of one destination, day by day')
  .option('--json', 'print JSON')
  .option('--html', 'print a page to print on paper')
  .action(async ({ json, html: asPage, destination, ...asked }) => {
    const client = await createClient(process.env)
    const answer = await client.get<CompletenessResult & SecondSource & There>('/admin/completeness', asked)
    if (destination !== undefined) return showDestination(json, destination, answer)
    const code = codeOf(answer)
    show(json, answer, () => (asPage ? page(asked, answer) : text(answer)))
    process.exitCode = code
  })

/** Throws a UserError for an answer without a verdict. */
function codeOf({ verdict }: { verdict: Verdict }): ExitCode {
  const code: ExitCode | undefined = CODES[verdict]
  if (code !== undefined) return code
  throw new UserError(
    `What answers there has no verdict that this command (Tillbridge ${OWN_VERSION}) knows: it is a hub of another version, or no hub. Use the command of that version, or look at TILLBRIDGE_URL.`,
  )
}

function showDestination(json: boolean | undefined, name: string, { destinations = [] }: Partial<There>): void {
  const one = destinations.find((each) => each.name === name)
  if (one === undefined) {
    const known = destinations.map((each) => each.name).join(', ') || 'none'
    throw new UserError(
      `No destination "${name}" was asked; there are ${known}. tillbridge jobs run reconcile-destinations`,
    )
  }
  const code = codeOf(one)
  const days = () => tableOf(DAYS, one.days, `${name} was not asked for anything yet.`)
  show(json, one, () => [tableOf(THERE, [one], ''), '', days()].join('\n'))
  process.exitCode = code
}

function text(answer: CompletenessResult & SecondSource & There): string {
  const { verdict, watermarks, counts = [], destinations = [] } = answer
  const notes = notesOf(answer)
  return [
    WORDS[verdict],
    '',
    tableOf(MARKS, watermarks, 'No scan has ended yet.'),
    ...(counts.length > 0 ? ['', tableOf(LISTED, counts, '')] : []),
    ...(destinations.length > 0 ? ['', tableOf(THERE, destinations, '')] : []),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n')
}

function notesOf({
  byLists,
  cannotTell,
  unresolved = [],
  notWatched = [],
}: CompletenessResult & SecondSource): string[] {
  return [
    ...unresolved.map(unresolvedLine),
    ...notWatchedLines(notWatched),
    ...byLists.map(
      ({ why, kind, from, to }) => `Proven by lists, since ${why} from ${when(from)} to ${when(to)} (${kind}).`,
    ),
    ...Object.entries(cannotTell).map(([kind, why]) => `No list of the platform has ${kind}: ${why}.`),
  ]
}

function unresolvedLine({ kind, state, count, events, more }: UnresolvedEvents): string {
  const ids = `${events.join(', ')}${events.length < count || more ? ' …' : ''}`
  return `${count}${more ? ' or more' : ''} ${kind} ${UNRESOLVED[state]} and not dismissed (${count === 1 ? 'event' : 'events'} ${ids}): tillbridge events show ${events[0] ?? '<id>'}`
}

function notWatchedLines(all: readonly NotWatched[]): string[] {
  const line = (kinds: readonly NotWatched[], words: string) =>
    kinds.length === 0
      ? []
      : [`${words}: ${pluralize(kinds.length, 'kind')} (${kinds.map(({ kind }) => kind).join(', ')}).`]
  const { wanted = [], left = [] } = Object.groupBy(all, (one) => (one.wanted ? 'wanted' : 'left'))
  return [
    ...line(wanted, 'Not watched, though config subscribes to them (tillbridge subscriptions list)'),
    ...line(left, 'Not watched'),
  ]
}

function page(
  { day, until, store }: { day?: string; until?: string; store?: string },
  answer: CompletenessResult & SecondSource,
): string {
  const { verdict, watermarks, counts = [] } = answer
  const title = `Is everything here? ${store === undefined ? 'All stores' : `Store ${store}`}, ${day ?? `until ${until ?? 'lately'}`}`
  return String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${raw(STYLE)}</style></head>
<body><h1>${title}</h1>
<p>Stated ${new Date().toISOString()} by Tillbridge.</p>
<p><strong>${WORDS[verdict]}</strong></p>
${pageTable(MARKS, watermarks)}
${counts.length === 0 ? '' : pageTable(LISTED, counts)}
${notesOf(answer).map((note) => html`<p>${note}</p>`)}
</body></html>
`)
}

function pageTable<Row>(columns: Columns<Row>, rows: readonly Row[]) {
  return html`<table><thead><tr>${Object.keys(columns).map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${cellsOf(columns, rows).map((row) => html`<tr>${row.map((cell) => html`<td>${cell ?? ''}</td>`)}</tr>`)}</tbody></table>`
}

const gapList = asks<GapList>('list', 'GET /admin/gaps', {
  about: 'What is not proven to be here',
  with: (command) =>
    selectGaps(command)
      .option('--state <state>', 'open, repaired, explained', 'open')
      .option('--after <id>', 'go on behind this one', numberOf)
      .addOption(limitOption()),
  text: ({ gaps: rows, hint }, { limit }) => [
    gapTable(rows),
    hint && oneLine(hint),
    ...moreLines(rows, limit, `--after ${rows.at(-1)?.id} goes on`),
  ],
})

const showGap = asks<GapView>('show', 'GET /admin/gaps/:id', {
  about: 'One gap: its cause, what each source knows, and what repairs it',
  with: (command) => command.addArgument(idArgument('<id>', 'gaps list')),
  text: (gap) => [
    gapTable([gap]),
    '',
    gap.words,
    ...Object.entries(gap.evidence).map(([source, facts]) => `${source}: ${JSON.stringify(facts)}`),
    gap.ended === null && gap.state === 'open' && `To do: ${gap.remedy}`,
    gap.ended && `${gap.state} ${when(gap.ended.at)} by ${gap.ended.by}: ${gap.ended.reason}`,
  ],
})

const explain = changesOf<StoredGap>('explain', {
  list: 'gaps',
  about: 'Close open gaps for which nothing can be done',
  select: selectGaps,
})

export const gaps = group('gaps', 'What is not proven to be here', gapList, showGap, explain)

function selectGaps(command: Command): Command {
  return command
    .option('--source <source>', 'found by: log, facts, POS, destination')
    .option('--cause <cause>', 'such as failed, claimed, not-looked-at')
    .option('--kind <kind>', 'of this event kind')
    .option('--store-id <id>', "of this store, by the platform's id")
    .option('--destination <name>', 'that this destination lacks')
    .option('--day <day>', 'of this business day')
}

function gapTable(rows: readonly StoredGap[]): string {
  const columns: Columns<StoredGap> = {
    gap: 'id',
    source: 'source',
    cause: 'cause',
    kind: 'kind',
    store: 'storeId',
    ...(rows.some(({ destination }) => destination !== null) && { destination: 'destination' as const }),
    about: 'subject',
    of: ({ at }) => when(at),
    seen: ({ firstSeenAt }) => when(firstSeenAt),
    state: 'state',
  }
  return tableOf(columns, rows, 'None is known. "tillbridge complete" shows how far it was scanned.')
}
