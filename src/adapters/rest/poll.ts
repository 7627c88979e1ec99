import { z } from 'zod'
import type { PermanentError } from '../../domain/values/errors.ts'
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
  Needed,
  Optional,
  type PollTemplate,
  placesOf,
  withoutData,
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
    async poll(cursor, { signal }) {
      try {
        const input = { cursor: cursor ?? template.first ?? null }
        const over = { ...input, ...(await ask(api, { where, template, input, signal })) }
        const items = readItems(
          where,
          at('items', () => listOf(template.items, over)),
        )
        const next = at('cursor', () => idOf(template.cursor, over)) ?? input.cursor ?? ''
        const { more } = template
        const isMore = more !== undefined && at('more', () => holds(more, over))
        // Without another cursor the same page would come for ever.
        return { items, cursor: next, more: isMore && next !== input.cursor }
      } catch (error) {
        throw withoutData(error, where)
      }
    },
  }
}

/** Unreadable items fail no others, unless all are: then the mapping is wrong. */
function readItems(where: string, listed: readonly unknown[]): IntakeItem[] {
  const wrong: PermanentError[] = []
  const items = listed.map((item): IntakeItem => {
    const parsed = Item.safeParse(item)
    if (parsed.success) return parsed.data
    const fault = badAnswer(`${where}.items`, placesOf(parsed.error))
    wrong.push(fault)
    return unreadable(item, fault.message)
  })
  const [first] = wrong
  if (first && wrong.length === items.length) throw first
  return items
}

function unreadable(item: unknown, why: string): IntakeItem {
  const textAt = (name: string) => Optional.safeParse(field(item, name)).data ?? null
  const key = `${textAt('key') ?? digestOf(item)}/unreadable`
  const value = { key: textAt('key'), theirId: textAt('theirId') }
  const resource = Resource.safeParse(field(item, 'resource')).data ?? 'orders'
  return { resource, key, theirId: textAt('theirId'), place: null, value, faults: [why] }
}
