import { styleText } from 'node:util'
import { Command } from 'commander'
import type { Late } from '../../admin/find/late.ts'
import type { OrderStory } from '../../admin/find/orders.ts'
import { sortOfLink } from '../../domain/orders/order-link.ts'
import { deliveryTable } from '../acts/deliveries.ts'
import { createClient } from '../shared/client.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { pathPart } from '../shared/path-part.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { ago, when } from '../shared/times.ts'

export const order = new Command('order')
  .description('Everything about one order, in the order of time')
  .argument('<number>', 'its number, as the customer knows it')
  .option('--json', 'print JSON')
  .action(async (number: string, { json }) => {
    const client = await createClient(process.env)
    const story = await client.get<OrderStory>(`/admin/orders/${pathPart(number)}`)
    show(json, story, () => storyText(story))
  })

export const late = new Command('late')
  .description('What customers wait for too long, and why (clocks in config)')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ late: Late[] }>('/admin/late')
    show(json, found, () => lateTable(found.late))
  })

/** A web order and one of a till may have one number. */
const SORTS = { web: 'order', till: 'order of a till', receipt: "order of a till, by its receipt's number," }

function storyText({ number, links, late: overdue, open, timeline }: OrderStory): string {
  const names = links.map(({ destination, kind, id, theirId }) =>
    oneLine(`${kind === 'order' ? SORTS[sortOfLink(id)] : kind} ${id} is ${theirId} at ${destination}`),
  )
  const rows = timeline.map(({ at, type, what, event, delivery }) => [when(at), type, delivery ?? event, what])
  return [
    styleText('bold', oneLine(`Order ${number}`)),
    ...names,
    ...(overdue.length > 0 ? ['', 'Late:', lateTable(overdue)] : []),
    '',
    table(['when', '', 'id', 'what'], rows, 'Nothing has happened.'),
    ...(open.length > 0 ? ['', 'Not done:', deliveryTable(open)] : []),
  ].join('\n')
}

function lateTable(rows: Late[]): string {
  return table(
    ['late', 'for', 'about', 'event', 'delivery', 'destination', 'why'],
    rows.map((row) => [row.clock, ago(row.since), row.entity, row.event, row.delivery, row.destination, row.why]),
    'Nothing is late.',
  )
}
