import type { FoundThings } from '../admin/find.ts'
import { deliveryTable } from './deliveries.ts'
import { eventTable } from './events.ts'
import { oneLine, tableOf, when } from './shared/output.ts'
import { asks, joined } from './shared/question.ts'

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
      orders.length > 0 && `Orders: ${orders.map(oneLine).join(', ')} ("tillbridge order <number>" tells all of one)`,
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
