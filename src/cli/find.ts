import { styleText } from 'node:util'
import type { MissingSettlements } from '../admin/completeness.ts'
import type { FoundThings } from '../admin/find.ts'
import type { Late } from '../admin/late.ts'
import type { OrderStory } from '../admin/orders.ts'
import { sortOfLink } from '../domain/orders/link.ts'
import { pluralize } from '../domain/values/text.ts'
import type { ActDetail, AuditRow } from '../storage/rows.ts'
import { deliveryTable } from './deliveries.ts'
import { eventTable } from './events.ts'
import { asks, group, idArgument, instantOption, joined, limitOption, moreLines } from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { ago, type Columns, oneLine, tableOf, when } from './shared/output.ts'

const CUSTOMERS = {
  customer: 'customerId',
  'own id': 'extId',
  name: 'name',
  'e-mail': 'email',
  phone: 'phone',
} as const
const PRODUCTS = { product: 'productId', 'own id': 'extId', number: 'number', name: 'name' } as const

export const find = asks<FoundThings>('find', 'GET /admin/find', {
  about: 'Find events, orders, customers and articles by a number, address, SKU, GTIN or id',
  with: (command) =>
    command
      .argument('<anything...>', 'blanks, case and a country prefix do not matter')
      .option('--reveal', 'show names and addresses in full; the audit has that you looked'),
  asked: (options, words: string[]) => ({ ...options, q: words.join(' ') }),
  text: foundText,
})

function foundText({ events, orders, deliveries, customers, products, more, query, reach }: FoundThings): string {
  const until =
    reach.until === null ? 'No event is in the index yet' : `Events until ${when(reach.until)} are in the index`
  const isNothing = events.length + customers.length + products.length + orders.length === 0
  return joined(
    [
      isNothing && `Nothing is found of ${oneLine(query)}.`,
      orders.length > 0 && `Orders: ${orders.map(oneLine).join(', ')} ("tillbridge order <number>" shows all of one)`,
      customers.length > 0 && tableOf(CUSTOMERS, customers, ''),
      products.length > 0 && tableOf(PRODUCTS, products, ''),
      events.length > 0 && eventTable(events),
      deliveries.length > 0 && deliveryTable(deliveries),
      more && '… and more events than are shown.',
      reach.behind > 0 && `${until}; ${reach.behind} are not. The hub goes on by itself.`,
    ],
    '\n\n',
  )
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

const TIMELINE: Columns<OrderStory['timeline'][number]> = {
  when: ({ at }) => when(at),
  '': 'type',
  id: ({ event, delivery }) => delivery ?? event,
  what: 'what',
}

const MISSING_SETTLEMENTS: Columns<MissingSettlements['missing'][number]> = {
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

const missingSettlements = asks<MissingSettlements>('missing', 'GET /admin/settlements/missing', {
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
      MISSING_SETTLEMENTS,
      posList,
      sales === 0
        ? 'Nothing was sold in these days, as far as the mirror has it.'
        : 'Each POS that sold has its settlement.',
    ),
  ],
  exit: (found) => (found.missing.length > 0 ? EXIT.problem : undefined),
})

export const settlements = group('settlements', 'Settlements of POS', missingSettlements)

function lateTable(rows: Late[]): string {
  return tableOf(LATE, rows, 'Nothing is late.')
}

const AUDIT: Columns<AuditRow> = {
  act: 'id',
  when: ({ at }) => when(at),
  who: 'by',
  did: 'action',
  touched: ({ refused, changed }) => (refused === null ? changed : 'refused'),
  which: ({ selection }) => (selection === '{}' ? '' : selection),
  why: ({ refused, reason }) => refused ?? reason,
}

const auditList = asks<{ acts: AuditRow[] }>('list', 'GET /admin/audit', {
  about: 'What operators did, newest first, refused acts too',
  with: (command) =>
    command
      .option('--by <name>', 'by this person')
      .option('--action <action>', 'such as retry, skip, release, move, reroute, pause, resume, run-job, create-key')
      .addOption(instantOption('--since <when>', 'since'))
      .addOption(instantOption('--until <when>', 'before'))
      .addOption(limitOption()),
  text: ({ acts }, { limit }) => [
    actTable(acts),
    ...moreLines(acts, limit, '--limit, --since and --until show others'),
  ],
})

const auditEntry = asks<ActDetail>('show', 'GET /admin/audit/:id', {
  about: 'One operation: what was asked for, and what it touched',
  with: (command) => command.addArgument(idArgument('<id>', 'audit list')),
  text: (act) => {
    const shown = Math.max(act.deliveries.length, act.events.length)
    return [
      actTable([act]),
      act.deliveries.length > 0 && `\n${deliveryTable(act.deliveries)}`,
      act.events.length > 0 && `\n${eventTable(act.events)}`,
      shown > 0 && act.changed > shown && `… and more: it touched ${act.changed}.`,
    ]
  },
})

export const audit = group('audit', 'Who did what, when and why', auditList, auditEntry)

function actTable(rows: AuditRow[]): string {
  return tableOf(AUDIT, rows, 'No such audit entries.')
}
