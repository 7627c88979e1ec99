import { TableAliasProxyHandler } from 'drizzle-orm'
import type { DeliveryFilter } from '../../screens.ts'
import type { Dialect } from '../dialect.ts'
import { isOrder } from '../lists/answered.ts'

/**
 * The same words of a store for questions that deliveries of the past may answer, too: its `deliveries` is the view
 * `all_deliveries`, which has the same columns. What is not settled well, was skipped, is of an order or has an effect is never
 * there: whoever asks for that goes by the indexes of the table itself.
 */
export function withPast(dialect: Dialect): Dialect {
  const { deliveries } = dialect.tables
  const all = new Proxy(deliveries, new TableAliasProxyHandler<typeof deliveries>('all_deliveries', true))
  return { ...dialect, tables: { ...dialect.tables, deliveries: all } }
}

/** Whether deliveries of the past may be what a list asks for. */
export function mayBePast({ state = 'delivered', entity }: DeliveryFilter): boolean {
  return state === 'delivered' && !isOrder(entity)
}
