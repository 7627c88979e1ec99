import { styleText } from 'node:util'
import { Command } from 'commander'
import type { Late } from '../../admin/find/late.ts'
import type { OrderStory } from '../../admin/find/orders.ts'
import { sortOfLink } from '../../domain/orders/link.ts'
import { deliveryTable } from '../acts/deliveries.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { ago, when } from '../shared/times.ts'

export const order = asks<OrderStory>(
  new Command('order')
    .description('Everything about one order, in the order of time')
    .argument('<number>', 'its number, as the customer knows it'),
  { ask: 'GET /admin/orders/:number', text: storyText },
)

export const late = asks<{ late: Late[] }>(
  new Command('late').description('What customers wait for too long, and why (clocks in config)'),
  { ask: 'GET /admin/late', text: (found) => lateTable(found.late) },
)

/** A web order and one of a till may have one number. */
const SORTS = { web: 'order', till: 'order of a till', receipt: "order of a till, by its receipt's number," }

function storyText({ number, links, late: overdue, open, timeline }: OrderStory): string {
  const names = links.map(({ destination, kind, id, theirId }) =>
    oneLine(`${kind === 'order' ? SORTS[sortOfLink(id)] : kind} ${id} is ${theirId} at ${destination}`),
  )
  return [
    styleText('bold', oneLine(`Order ${number}`)),
    ...names,
    ...(overdue.length > 0 ? ['', 'Late:', lateTable(overdue)] : []),
    '',
    tableOf(TIMELINE, timeline, 'Nothing has happened.'),
    ...(open.length > 0 ? ['', 'Not done:', deliveryTable(open)] : []),
  ].join('\n')
}

const TIMELINE: Columns<OrderStory['timeline'][number]> = {
  when: ({ at }) => when(at),
  '': 'type',
  id: ({ event, delivery }) => delivery ?? event,
  what: 'what',
}

function lateTable(rows: Late[]): string {
  return tableOf(LATE, rows, 'Nothing is late.')
}

const LATE: Columns<Late> = {
  late: 'clock',
  for: ({ since }) => ago(since),
  about: 'entity',
  event: 'event',
  delivery: 'delivery',
  destination: 'destination',
  why: 'why',
}
