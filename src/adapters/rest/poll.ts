import { z } from 'zod'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Intake, IntakeItem } from '../../ports/intake.ts'
import { ask } from './ask.ts'
import type { Api } from './asking/api.ts'
import { holds, idOf, listOf } from './mapping/expression.ts'
import { at, withoutData } from './mapping/mapping-error.ts'
import type { PollTemplate } from './mapping/template.ts'
import { Needed, Optional, placesOf } from './mapping/wire.ts'

const Item = z.object({
  resource: z
    .enum([
      'orders',
      'cancellations',
      'sales',
      'customers',
      'products',
      'prices',
      'cost-prices',
      'stock-adjustments',
      'deliveries',
    ])
    .default('orders'),
  key: Needed,
  theirId: Optional,
  place: Optional,
  value: z.record(z.string(), z.unknown()),
})

/** Asks the system for what is new, a page at a time. */
export function createPoll(api: Api, template: PollTemplate, destination: string): Intake {
  const where = `${destination}: poll`
  return {
    async poll(cursor, { signal }) {
      try {
        const input = { cursor: cursor ?? template.first ?? null }
        const over = { ...input, ...(await ask(api, { where, template, input, signal })) }
        const items = at('items', () => listOf(template.items, over)).map((item) => readItem(where, item))
        const next = at('cursor', () => idOf(template.cursor, over)) ?? input.cursor ?? ''
        const { more } = template
        const isMore = more !== undefined && at('more', () => holds(more, over))
        // Without a new place to go on from, the same would come again and again.
        return { items, cursor: next, more: isMore && next !== input.cursor }
      } catch (error) {
        throw withoutData(error, where)
      }
    },
  }
}

function readItem(where: string, item: unknown): IntakeItem {
  const parsed = Item.safeParse(item)
  if (parsed.success) return parsed.data
  const places = placesOf(parsed.error)
  throw new PermanentError(`${where}.items gives something that lacks these, or has them in another form: ${places}`, {
    code: 'bad-answer',
  })
}
