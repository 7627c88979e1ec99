import { Command } from 'commander'
import type { AcceptedEvent, EventList, Reparsed } from '../admin/events.ts'
import type { Replayed, ReplayedCall } from '../app/offline.ts'
import { readConfig } from '../app/read-config.ts'
import { PULLED } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { readInstant } from '../domain/values/instant.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Rerouted } from '../ingest/reroute.ts'
import type { EventDetail, EventRow } from '../storage/rows.ts'
import { deedTable, deliveryTable } from './deliveries.ts'
import {
  asks,
  changesOf,
  group,
  idArgument,
  inParts,
  instantOption,
  joined,
  limitOption,
  numbersOf,
  paging,
  selectEvents,
} from './shared/command.ts'
import { awaited } from './shared/exit.ts'
import { type Columns, oneLine, ownLines, show, tableOf, when } from './shared/output.ts'

type Listed = Omit<EventRow, 'headers'> & Partial<Pick<AcceptedEvent, 'amount' | 'other'>>

const EVENTS: Columns<Listed> = {
  event: 'id',
  taken: ({ receivedAt }) => when(receivedAt),
  kind: 'kind',
  state: 'state',
  about: 'entity',
  identity: ({ identity, revision }) => (identity && revision > 0 ? `${identity} (${revision})` : identity),
  bytes: 'size',
  '': remark,
}

const eventList = asks<EventList>('list', 'GET /admin/events', {
  about: 'Events, newest first',
  with: (command) =>
    paging(selectEvents(command)).option(
      '--all',
      "also the hub's own StockChanged and StockLevelRead; --kind shows those of a kind",
    ),
  asked: ({ all, ...filter }) => ({ ...filter, own: all ? 'show' : 'hide' }),
  text: ({ events: rows, hidden, before, hint }) => [
    rows.length === 0 && hint !== null ? hint : eventTable(rows),
    hidden > 0 && `${hidden} of the hub's own (StockChanged, StockLevelRead) are left out: --all shows them.`,
    before !== null && `There are more, or may be: --before ${before} goes on.`,
  ],
})

const showEvent = asks<Omit<EventDetail, 'body'> & { body: string | null; bodyBase64?: string }>(
  'show',
  'GET /admin/events/:id',
  {
    about: 'One event: headers, body, deliveries',
    with: (command) => command.addArgument(idArgument('<id>', 'events list')),
    text: ({ body, bodyBase64, ...event }) => [
      eventTable([event]),
      '',
      ...Object.entries(event.headers).map(([name, value]) => oneLine(`${name}: ${value}`)),
      '',
      bodyBase64 === undefined
        ? ownLines(body ?? 'The body is not here (it was too large, or retention has taken it).')
        : `These bytes are no text. In base64:\n${bodyBase64}`,
      '',
      deliveryTable(event.deliveries),
      event.audit.length > 0 && `\n${deedTable(event.audit, '')}`,
    ],
  },
)

const dismiss = changesOf<EventRow>('dismiss', {
  list: 'events',
  about: 'Say that nothing is to be done about unrouted, quarantined or conflicting events',
  select: selectEvents,
  rows: eventTable,
})

const reparse = changesOf<EventRow, Reparsed>('reparse', {
  list: 'events',
  about: "Read quarantined events again, and what is held for a field, with today's mapping; a start does so by itself",
  select: selectEvents,
  ask: (client, asked) =>
    inParts('reading', (part) => client.post<Reparsed>('/admin/events/reparse', { ...asked, part })),
  isLeft: () => false,
  text: ({ events: read, left, held, sample }, dryRun) =>
    joined([
      dryRun
        ? `${pluralize(read, 'event')} could be read now. Nothing was changed.`
        : `${pluralize(read, 'event')} can be read now, and ${read === 1 ? 'is' : 'are'} acted on. ${pluralize(held, 'held delivery')} ${held === 1 ? 'goes' : 'go'} on.`,
      left > 0 && `${pluralize(left, 'event')} cannot be read, or the payload is not kept any more.`,
      sample.length > 0 && `\n${tableOf({ event: 'id', kind: 'kind' }, sample, '')}`,
    ]),
})

export const reroute = changesOf<EventRow, Rerouted>('reroute', {
  list: 'events',
  about: "Apply today's config to recorded events: one by its id, or all that a filter selects",
  select: selectEvents,
  ask: (client, asked) =>
    inParts('planning', (part) => client.post<Rerouted>('/admin/events/reroute', { ...asked, part })),
  // Planned, and nothing new.
  isLeft: ({ looked, left }) => looked === left,
  text: ({ events: planned, deliveries, left, conflicts, dismissed, sample }, dryRun) =>
    joined([
      dryRun
        ? `${pluralize(planned, 'event')} would enqueue ${pluralize(deliveries, 'new delivery')}. Nothing was changed.`
        : `${pluralize(planned, 'event')} ${planned === 1 ? 'enqueues' : 'enqueue'} ${pluralize(deliveries, 'new delivery')}.`,
      left > 0 && `${pluralize(left, 'event')} cannot be planned: quarantined, or the payload is not kept any more.`,
      conflicts > 0 &&
        `${pluralize(conflicts, 'event')} left, in conflict: compare ("tillbridge events list --conflict"), and accept ("tillbridge events accept") what happened besides the other.`,
      dismissed > 0 && `${pluralize(dismissed, 'event')} left, dismissed: --dismissed takes those alone.`,
      '',
      tableOf({ event: 'id', kind: 'kind', about: 'entity' }, sample, 'Nothing new for any destination.'),
    ]),
})

const accept = asks<AcceptedEvent>('accept', 'POST /admin/events/accept', {
  about: 'Act on an event in conflict too: both happened, such as two receipts of one number',
  with: (command) =>
    command
      .addArgument(idArgument('<id>', 'events list'))
      .option('--reason <why>', 'why; the audit keeps it')
      .option('--dry-run', 'only show what it would enqueue'),
  asked: (options, id) => ({ ...options, id }),
  text: ({ event, conflictWith, amount, other, deliveries, act }) => {
    const beside = conflictWith === 0 ? 'what is not remembered any more' : `event ${conflictWith}`
    const worth = amount === null ? '' : ` (${amount}${other === null ? '' : `, beside ${other}`})`
    return act === null
      ? `Event ${event}${worth} would be accepted beside ${beside}, and enqueue ${pluralize(deliveries, 'delivery')}. Nothing was changed.`
      : `Event ${event}${worth} is accepted beside ${beside}: ${pluralize(deliveries, 'new delivery')} (act ${act} of the audit).`
  },
})

export const events = group('events', 'What has arrived', eventList, showEvent, dismiss, accept, reparse)

export function eventTable(rows: Listed[]): string {
  return tableOf(EVENTS, rows, 'No such events.')
}

function remark(row: Listed): string | null {
  const { dismissedBy, dismissedBecause } = row
  const why = unusual(row)
  if (dismissedBy === null) return why
  return `dismissed by ${dismissedBy}: ${dismissedBecause ?? ''}${why === null ? '' : ` (${why})`}`
}

function unusual({ conflictWith, problem, sameKeyAs, subscription, amount = null, other = null }: Listed) {
  if (conflictWith === 0) return 'older than what is remembered: it may have been acted on before'
  const posted = amount === null ? '' : `: ${amount} is posted nowhere${other === null ? '' : `, that one is ${other}`}`
  if (conflictWith !== null) return `contradicts event ${conflictWith}${posted}`
  if (problem !== null) return problem
  if (sameKeyAs !== null) return `came under the event id of ${sameKeyAs}`
  return subscription === PULLED ? 'pulled: read on the platform, not sent by it' : null
}

interface Options {
  dryRun?: true
  since?: string
  until?: string
  kind?: string
  entity?: string
  limit: number
  json?: true
}

export const replay = new Command('replay')
  .description("Print the calls that today's config would make of recorded events; nothing is sent or written")
  .argument('[events...]', 'their numbers, as "events list" shows them; without them, a filter', numbersOf)
  .option('--dry-run', 'print only: there is no replay that sends (see "reroute", and "deliveries retry")')
  .option('--kind <kind>', 'events of this kind')
  .option('--entity <entity>', 'events about this thing, such as order:A1')
  .addOption(instantOption('--since <when>', 'events taken since'))
  .addOption(instantOption('--until <when>', 'events taken before'))
  .addOption(limitOption('so many events, the oldest first'))
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    '\nThe config is TILLBRIDGE_CONFIG: a changed one is tried by naming it there. Its storage is only read. Personal data is masked.',
  )
  .action(async (ids: number[] = [], options: Options) => {
    const { dryRun, limit, json, since, until, ...named } = options
    if (!dryRun)
      throw new UserError(
        'Say --dry-run: it prints the calls, and sends nothing. To send, see "tillbridge reroute" and "tillbridge deliveries retry".',
      )
    const filter = { ...named, ...timesOf(since, until) }
    if (ids.length === 0 && Object.keys(filter).length === 0)
      throw new UserError('Say which events: their numbers, --kind, --entity, --since or --until.')
    const loaded = await readConfig(process.env)
    // Loads the whole hub.
    const { replayCalls } = await import('../app/offline.ts')
    const { openReading } = await import('../storage/open.ts')
    await using reading = await openReading(loaded.config.store.url)
    const replayed = await awaited('Stopped. Nothing was changed.', (signal) =>
      replayCalls(loaded, reading, { ids, limit, ...filter }, signal),
    )
    show(json, replayed, () => replayText(replayed))
  })

function timesOf(since: string | undefined, until: string | undefined) {
  const now = Date.now()
  const at = (text: string | undefined) => (text === undefined ? null : readInstant(text, now))
  const [from, to] = [at(since), at(until)]
  if (from !== null && to !== null && from > to) throw new UserError('--since: it is after --until.')
  return { ...(from !== null && { since: from }), ...(to !== null && { until: to }) }
}

function replayText({ events, left, more, calls }: Replayed): string {
  const sent = calls.filter(({ method, why }) => method !== null && why === null).length
  const unplanned = left === 0 ? '' : `; ${left} could not be planned: not here, quarantined, or without payload`
  return [
    ...[...Map.groupBy(calls, ({ event }) => event)].flatMap(([event, group]) => [
      oneLine(`event ${event} ${group[0]?.kind}`),
      ...group.flatMap(callLines).map(oneLine),
      '',
    ]),
    `${pluralize(events, 'event')} planned, ${pluralize(sent, 'call')} would be sent${unplanned}. Nothing was sent.`,
    ...(more ? ['There are more events: --limit.'] : []),
  ].join('\n')
}

function callLines({ destination, flow, part, entity, method, why, fields }: ReplayedCall): string[] {
  const step = part === '' ? flow : `${flow} ${part}`
  const about = entity === null ? '' : ` about ${entity}`
  return [
    `  ${destination} ${step}${method === null ? '' : ` (${method})`}${about}${why === null ? '' : `: ${why}`}`,
    ...Object.entries(fields).map(([path, value]) => `    ${path}: ${value}`),
  ]
}
