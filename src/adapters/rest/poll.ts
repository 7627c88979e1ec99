import { z } from 'zod'
import { field } from '../../domain/values/field.ts'
import { digestOf } from '../../domain/values/text.ts'
import type { Intake, IntakeItem } from '../../ports/intake.ts'
import { type Api, ask } from './api.ts'
import {
  at,
  badAnswer,
  holds,
  idOf,
  listOf,
  mapped,
  Needed,
  Optional,
  type PollTemplate,
  parseEach,
  placesOf,
} from './mapping.ts'

const Resource = z
  .enum([
    'orders',
    'cancellations',
    'sales',
    'customers',
    'products',
    'prices',
    'cost-prices',
    'stock-adjustments',
    'goods-deliveries',
  ])
  .default('orders')

const Item = z.object({
  resource: Resource,
  key: Needed,
  theirId: Optional,
  place: Optional,
  value: z.record(z.string(), z.unknown()),
})

export function createPoll(api: Api, template: PollTemplate, destination: string): Intake {
  const where = `${destination}: poll`
  return {
    poll: (cursor, { signal }) =>
      mapped(where, async () => {
        const input = { cursor: cursor ?? template.first ?? null }
        const over = await ask(api, { where, template, input, signal })
        const listed = at('items', () => listOf(template.items, over))
        const items = parseEach(`${where}.items`, listed, Item).map((entry): IntakeItem => {
          if ('value' in entry) return entry.value
          return unreadable(entry.unreadable, badAnswer(`${where}.items`, placesOf(entry.error)).message)
        })
        const next = at('cursor', () => idOf(template.cursor, over)) ?? input.cursor ?? ''
        const { more } = template
        const isMore = more !== undefined && at('more', () => holds(more, over))
        // Without another cursor the same page would come for ever.
        return { items, cursor: next, more: isMore && next !== input.cursor }
      }),
  }
}

function unreadable(item: unknown, why: string): IntakeItem {
  const textAt = (name: string) => Optional.safeParse(field(item, name)).data ?? null
  const key = `${textAt('key') ?? digestOf(item)}/unreadable`
  const value = { key: textAt('key'), theirId: textAt('theirId') }
  const resource = Resource.safeParse(field(item, 'resource')).data ?? 'orders'
  return { resource, key, theirId: textAt('theirId'), place: null, value, faults: [why] }
}
