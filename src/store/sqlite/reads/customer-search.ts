import type { Database } from 'better-sqlite3'
import type { CustomerQuery } from '../../../domain/people/customer-query.ts'
import type { CustomerRecord } from '../../../domain/people/customer-record.ts'
import { CUSTOMER_COLUMNS } from '../customers.ts'

const MAX_FOUND = 10

/** The customer directory's reads. */
export function createCustomerSearch(db: Database) {
  const newest = `order by updated_at desc, id desc limit ${MAX_FOUND}`
  const byEmail = db.prepare<[string], CustomerRecord>(
    `select ${CUSTOMER_COLUMNS} from customers where email = ? ${newest}`,
  )
  const byPhone = db.prepare<[string], CustomerRecord>(
    `select ${CUSTOMER_COLUMNS} from customers where phone in (select value from json_each(?)) ${newest}`,
  )
  const count = db.prepare<[], { n: number }>('select n from customer_count')

  return {
    /** The number as it was typed is compared with numbers that were kept without their country. */
    findCustomers(query: CustomerQuery): CustomerRecord[] {
      if (query.type === 'email') return byEmail.all(query.email)
      return byPhone.all(JSON.stringify([...query.numbers, query.typed]))
    },

    customerCount: (): number => count.get()?.n ?? 0,
  }
}

export type CustomerSearch = ReturnType<typeof createCustomerSearch>
