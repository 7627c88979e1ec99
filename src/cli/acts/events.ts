import { Command } from 'commander'
import type { AcceptedEvent } from '../../admin/events.ts'
import type { EventList } from '../../admin/lists.ts'
import { PULLED } from '../../domain/queue/event.ts'
import { counted } from '../../domain/values/text.ts'
import type { Reparsed } from '../../inbox/reparse.ts'
import type { Changed, EventDetail, EventRow } from '../../store/screens.ts'
import { deedTable } from '../look/deed-table.ts'
import { createClient } from '../shared/client.ts'
import { oneLine, ownLines } from '../shared/harmless-text.ts'
import { changing, filterOf, paging } from '../shared/options.ts'
import { show } from '../shared/print.ts'
import { asks } from '../shared/question.ts'
import { selectEvents } from '../shared/selecting.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { idArgument } from '../shared/values.ts'
import { changeAll } from './change-all.ts'
import { deliveryTable } from './deliveries.ts'
import { inParts, type PartAsked } from './in-parts.ts'
import { cameToNothing, hintLines, leftAlone, showDone } from './named.ts'

const list = asks<EventList>(
  paging(selectEvents(new Command('list')))
    .description('Events, newest first')
    .option('--all', "also the hub's own StockChanged and StockLevelRead; --kind shows those of a kind"),
  {
    ask: 'GET /admin/events',
    asked: ({ all, ...filter }) => ({ ...filter, own: all ? 'show' : 'hide' }),
    text: listText,
  },
)

const showOne = asks<Omit<EventDetail, 'body'> & Body>(
  new Command('show')
    .description('One event: headers, body, deliveries')
    .addArgument(idArgument('<id>', 'events list')),
  {
    ask: 'GET /admin/events/:id',
    text: (event) =>
      [
        eventTable([event]),
        '',
        ...Object.entries(event.headers).map(([name, value]) => oneLine(`${name}: ${value}`)),
        '',
        bodyText(event),
        '',
        deliveryTable(event.deliveries),
        ...(event.audit.length > 0 ? ['', deedTable(event.audit, '')] : []),
      ].join('\n'),
  },
)

const dismiss = changing(selectEvents(new Command('dismiss')))
  .description(
    'Say that nothing is to be done about events that are unrouted, quarantined or in conflict; --reason says why',
  )
  .addArgument(idArgument('[id]', 'events list'))
  .action(async (id, options) => {
    const { dryRun = false, reason = null, json } = options
    const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
    const result = await changeAll<EventRow>('/admin/events/dismiss', { filter, dryRun, reason })
    const isLeft = id !== undefined && cameToNothing(result, dryRun)
    const left = isLeft ? await leftAlone('events', { ...filter, id }, whyNotDismissed) : null
    showDone(json, result, () => [dismissed(result, dryRun), ...hintLines(result)].join('\n'), left)
  })

const reparse = changing(selectEvents(new Command('reparse')))
  .description(
    'Read quarantined events again with the mapping and the readers of today, and let what is held for a field go on; a start does so by itself',
  )
  .addArgument(idArgument('[id]', 'events list'))
  .action(async (id, options) => {
    const { dryRun = false, reason = null, json } = options
    const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
    const client = await createClient(process.env)
    const ask = (part: PartAsked) =>
      client.post<Reparsed & { held: number }>('/admin/events/reparse', { filter, dryRun, reason, part })
    const result = await inParts(ask, {
      doing: 'reading',
      join: (all, more) => ({
        ...more,
        events: all.events + more.events,
        left: all.left + more.left,
        held: all.held + more.held,
        looked: all.looked + more.looked,
        sample: [...all.sample, ...more.sample].slice(0, SAMPLE),
      }),
      far: ({ looked }) => ({ done: looked, of: null }),
    })
    show(json, result, () => reparsed(result, dryRun))
  })

const SAMPLE = 10

function reparsed({ events, left, held, sample }: Reparsed & { held: number }, dryRun: boolean): string {
  const stay = left > 0 ? [`${counted(left, 'event')} cannot be read, or the payload is not kept any more.`] : []
  return [
    dryRun
      ? `${counted(events, 'event')} could be read now. Nothing was changed.`
      : `${counted(events, 'event')} can be read now, and ${events === 1 ? 'is' : 'are'} acted on. ${counted(held, 'held delivery')} ${held === 1 ? 'goes' : 'go'} on.`,
    ...stay,
    ...(sample.length > 0 ? ['', tableOf({ event: 'id', kind: 'kind' }, sample, '')] : []),
  ].join('\n')
}

function whyNotDismissed(event: EventRow): string {
  const why = event.dismissedBy === null ? 'a destination wants it, and it contradicts nothing' : remark(event)
  return `${why}. There is nothing to dismiss.`
}

const accept = asks<AcceptedEvent>(
  new Command('accept')
    .description(
      'Accept an event that contradicts another one as something that happened besides it, such as a second receipt of one number',
    )
    .addArgument(idArgument('<id>', 'events list'))
    .option('--reason <why>', 'why; the audit keeps it')
    .option('--dry-run', 'only show what it would owe'),
  { ask: 'POST /admin/events/accept', asked: (options, id) => ({ ...options, id }), text: acceptedText },
)

function acceptedText({ event, conflictWith, amount, other, deliveries, act }: AcceptedEvent): string {
  const beside = conflictWith === 0 ? 'what is not remembered any more' : `event ${conflictWith}`
  const worth = amount === null ? '' : ` (${amount}${other === null ? '' : `, beside ${other}`})`
  return act === null
    ? `Event ${event}${worth} would be accepted beside ${beside}, and owe ${counted(deliveries, 'delivery')}. Nothing was changed.`
    : `Event ${event}${worth} is accepted beside ${beside}: ${counted(deliveries, 'new delivery')} (act ${act} of the audit).`
}

export const events = new Command('events')
  .description('What has arrived')
  .addCommand(list)
  .addCommand(showOne)
  .addCommand(dismiss)
  .addCommand(accept)
  .addCommand(reparse)

function dismissed({ matched, changed, sample, act }: Changed<EventRow>, dryRun: boolean): string {
  const all = matched ?? changed
  return [
    dryRun
      ? `dismiss would touch ${counted(all, 'event')}. Nothing was changed.`
      : `dismiss: ${all === 0 ? 'no event is one that it changes' : `${changed} of ${counted(all, 'event')}`} (audit entry ${act}).${changed > 0 ? ' They are kept, and do not count any more.' : ''}`,
    ...(sample.length > 0 ? ['', eventTable(sample)] : []),
    ...(all > sample.length ? [`… and ${all - sample.length} more.`] : []),
  ].join('\n')
}

function listText({ events: rows, hidden, before, hint }: EventList): string {
  const more = before === null ? [] : [`There are more, or may be: --before ${before} goes on.`]
  const left =
    hidden === 0 ? [] : [`${hidden} of the hub's own (StockChanged, StockLevelRead) are left out: --all shows them.`]
  return [rows.length === 0 && hint !== null ? hint : eventTable(rows), ...left, ...more].join('\n')
}

interface Body {
  body: string | null
  bodyBase64?: string
}

function bodyText({ body, bodyBase64 }: Body): string {
  if (bodyBase64 !== undefined) return `These bytes are no text. In base64:\n${bodyBase64}`
  return body === null ? NO_BODY : ownLines(body)
}

const NO_BODY = 'The body is not here (it was too large, or retention has taken it).'

/** A row of a list; amounts where it is in conflict. */
type Listed = Omit<EventRow, 'headers'> & Partial<Pick<AcceptedEvent, 'amount' | 'other'>>

/** The last column of an event's line: what is wrong with it, or unusual. */
function remark(row: Listed): string | null {
  const { dismissedBy, dismissedBecause } = row
  const why = unusual(row)
  if (dismissedBy === null) return why
  return `dismissed by ${dismissedBy}: ${dismissedBecause ?? ''}${why === null ? '' : ` (${why})`}`
}

/** What of an event in conflict is posted nowhere, where it was asked for. */
function amounts({ amount = null, other = null }: Partial<Pick<AcceptedEvent, 'amount' | 'other'>>): string {
  if (amount === null) return ''
  return `: ${amount} is posted nowhere${other === null ? '' : `, that one is ${other}`}`
}

function unusual(row: Listed): string | null {
  const { conflictWith, problem, sameKeyAs, subscription } = row
  if (conflictWith === 0) return 'older than what is remembered: it may have been acted on before'
  if (conflictWith !== null) return `contradicts event ${conflictWith}${amounts(row)}`
  if (problem !== null) return problem
  if (sameKeyAs !== null) return `came under the event id of ${sameKeyAs}`
  return subscription === PULLED ? 'pulled: read on the platform, not sent by it' : null
}

export function eventTable(rows: Listed[]): string {
  return tableOf(EVENTS, rows, 'No such events.')
}

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
