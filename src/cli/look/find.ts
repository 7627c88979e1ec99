import { Command } from 'commander'
import type { FoundThings } from '../../admin/find/find.ts'
import { deliveryTable } from '../acts/deliveries.ts'
import { eventTable } from '../acts/events.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { asks } from '../shared/question.ts'
import { tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'

export const find = asks<FoundThings>(
  new Command('find')
    .description(
      'Whatever you have in hand: an order, a receipt (1001, 3/1001), an e-mail address, a phone number, a SKU, a GTIN, an id',
    )
    .argument('<anything...>', 'blanks, case and a country prefix do not matter')
    .option('--reveal', 'show names and addresses in full; the audit has that you looked'),
  {
    ask: 'GET /admin/find',
    asked: (options, words: string[]) => ({ ...options, q: words.join(' ') }),
    text: foundText,
  },
)

const CUSTOMERS = {
  customer: 'customerId',
  'own id': 'extId',
  name: 'name',
  'e-mail': 'email',
  phone: 'phone',
} as const
const PRODUCTS = { product: 'productId', 'own id': 'extId', number: 'number', name: 'name' } as const

function foundText(found: FoundThings): string {
  const { events, orders, deliveries, customers, products, more, query } = found
  const parts = [
    orders.length > 0 && `Orders: ${orders.map(oneLine).join(', ')} ("tillbridge order <number>" tells all of one)`,
    customers.length > 0 && tableOf(CUSTOMERS, customers, ''),
    products.length > 0 && tableOf(PRODUCTS, products, ''),
    events.length > 0 && eventTable(events),
    deliveries.length > 0 && deliveryTable(deliveries),
    more && '… and more events than are shown.',
    reachText(found),
  ]
  const told = parts.filter((part) => part !== false && part !== null)
  const isNothing = events.length + customers.length + products.length + orders.length === 0
  return [...(isNothing ? [`Nothing is found of ${oneLine(query)}.`] : []), ...told].join('\n\n')
}

/** Null: all that is kept can be found. */
function reachText({ reach: { behind, until } }: FoundThings): string | null {
  if (behind === 0) return null
  const since = until === null ? 'No event is in the index yet' : `Events until ${when(until)} are in the index`
  return `${since}; ${behind} are not. The hub goes on by itself.`
}
