import { styleText } from 'node:util'
import type { Late } from '../admin/late.ts'
import type { OrderStory } from '../admin/orders.ts'
import type { MissingSettlements } from '../admin/settlements.ts'
import { sortOfLink } from '../domain/orders/link.ts'
import { pluralize } from '../domain/values/text.ts'
import { deliveryTable } from './deliveries.ts'
import { EXIT } from './shared/exit.ts'
import { ago, type Columns, oneLine, tableOf, when } from './shared/output.ts'
import { asks, group } from './shared/question.ts'

const LATE: Columns<Late> = {
  late: 'clock',
  for: ({ since }) => ago(since),
  about: 'entity',
  event: 'event',
  delivery: 'delivery',
  destination: 'destination',
  why: 'why',
}

const TIMELINE: Columns<OrderStory['timeline'][number]> = {
  when: ({ at }) => when(at),
  '': 'type',
  id: ({ event, delivery }) => delivery ?? event,
  what: 'what',
}

const MISSING: Columns<MissingSettlements['missing'][number]> = {
  "store's day": 'day',
  store: 'store',
  pos: 'posId',
  sales: 'sales',
  receipts: ({ firstReceipt, lastReceipt }) =>
    firstReceipt === lastReceipt ? firstReceipt : `${firstReceipt} to ${lastReceipt}`,
}

/** A web order and a POS order may share a number. */
const SORTS = { web: 'order', pos: 'order of a POS', receipt: "order of a POS, by its receipt's number," }

export const order = asks<OrderStory>('order', 'GET /admin/orders/:number', {
  about: 'Everything about one order, by time',
  with: (command) => command.argument('<number>', 'its number, as the customer knows it'),
  text: ({ number, links, late: overdue, open, timeline }) => [
    styleText('bold', oneLine(`Order ${number}`)),
    ...links.map(({ destination, kind, id, theirId }) =>
      oneLine(`${kind === 'order' ? SORTS[sortOfLink(id)] : kind} ${id} is ${theirId} at ${destination}`),
    ),
    overdue.length > 0 && `\nLate:\n${lateTable(overdue)}`,
    '',
    tableOf(TIMELINE, timeline, 'Nothing has happened.'),
    open.length > 0 && `\nNot done:\n${deliveryTable(open)}`,
  ],
})

export const late = asks<{ late: Late[] }>('late', 'GET /admin/late', {
  about: 'What customers wait for too long, and why',
  text: (found) => lateTable(found.late),
})

const missing = asks<MissingSettlements>('missing', 'GET /admin/settlements/missing', {
  about: 'POS with sales but no settlement of a day, by the mirror',
  with: (command) =>
    command
      .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
      .requiredOption('--to <day>', 'the last of them')
      .option('--store <number>', "of this store: its number, or the platform's id"),
  text: ({ missing: posList, sales, settlements: made }) => [
    `${pluralize(sales, 'sale')} and ${pluralize(made, 'settlement')} were looked at.`,
    '',
    tableOf(
      MISSING,
      posList,
      sales === 0
        ? 'Nothing was sold in these days, as far as the mirror has it.'
        : 'Each POS that sold has its settlement.',
    ),
  ],
  exit: (found) => (found.missing.length > 0 ? EXIT.problem : undefined),
})

export const settlements = group('settlements', 'Settlements of POS', missing)

function lateTable(rows: Late[]): string {
  return tableOf(LATE, rows, 'Nothing is late.')
}
