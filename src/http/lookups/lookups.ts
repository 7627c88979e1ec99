import { Router } from 'express'
import type { Config } from '../../config/config.ts'
import type { CustomerQuery } from '../../domain/customers/customer-query.ts'
import type { CustomerRecord } from '../../domain/customers/customer-record.ts'
import type { FoundOrder } from '../../domain/orders/order.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Refused } from '../../lib/http/problem.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import type { PosPriority } from '../pos-priority.ts'
import type { Source } from './ask.ts'
import { createCustomerLookup } from './customers.ts'
import { createOrderLookup } from './orders.ts'

export interface LookupOptions {
  config: Config['lookups']
  sources: {
    customers: readonly Source<CustomerQuery, CustomerRecord>[]
    orders: readonly Source<string, FoundOrder>[]
  }
  noteLookup: Storage['noteLookup']
  posPriority: Pick<PosPriority, 'during'>
  refused: Refused
  clock: Clock
  logger: Logger
}

/** Throws a UserError for an unknown source or an unreadable template. */
export function createLookups({ config, sources, noteLookup, ...rest }: LookupOptions): Router {
  const router = Router()
  if (config.customers)
    router.use('/api/customers/search', createCustomerLookup(config.customers, sources.customers, rest))
  if (config.orders)
    router.use('/api/orders/search', createOrderLookup(config.orders, sources.orders, { noteLookup, ...rest }))
  return router
}
