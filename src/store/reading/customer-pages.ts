import { asc, gt } from 'drizzle-orm'
import type { KeptCustomer } from '../kept.ts'
import type { Db, Dialect } from './dialect.ts'

export function createCustomerPages(db: Db, { tables: { customers } }: Dialect) {
  return {
    async customersPage(after: number, limit: number): Promise<KeptCustomer[]> {
      return await db.select().from(customers).where(gt(customers.id, after)).orderBy(asc(customers.id)).limit(limit)
    },
  }
}
