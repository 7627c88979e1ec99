import { TableAliasProxyHandler } from 'drizzle-orm'
import type { DeliveryFilter } from '../../screens.ts'
import type { Dialect } from '../dialect.ts'
import { isOrder } from '../lists/answered.ts'

/**
 * A dialect whose `deliveries` is the view `all_deliveries`, with archived ones. Unsettled, skipped, orders' ones and
 * those with an effect are never archived: they are read by the table's own indexes.
 */
export function withPast(dialect: Dialect): Dialect {
  const { deliveries } = dialect.tables
  const all = new Proxy(deliveries, new TableAliasProxyHandler<typeof deliveries>('all_deliveries', true))
  return { ...dialect, tables: { ...dialect.tables, deliveries: all } }
}

export function mayBePast({ state = 'delivered', entity }: DeliveryFilter): boolean {
  return state === 'delivered' && !isOrder(entity)
}
