import type { Database } from 'better-sqlite3'
import { type CustomerRecord, merged, samePeople, samePerson } from '../../domain/people/customer-record.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { DROPPED, droppedSubject } from '../people/dropped-customer.ts'

/** A record's columns, as the names of its fields. */
export const CUSTOMER_COLUMNS = `customer_id as customerId, ext_id as extId, email, first_name as firstName, last_name as lastName,
  company_name as companyName, phone, address, postal_code as postalCode, city, country_code as countryCode`

/** The columns that a customer is looked up by. */
const KEYS = ['customerId', 'extId', 'email', 'phone'] as const

/** The most customers of one address or number that are compared, the newest: more is nobody's own. */
const MOST_ALIKE = 10

const MARKED = `destination = '${DROPPED.destination}' and flow = '${DROPPED.flow}'`

type Kept = CustomerRecord & { id: number }

/** The customer directory's writes: one row a person. They run inside a transaction of the caller. */
export function createCustomers(db: Database) {
  const alike = (column: string) =>
    db.prepare<[string], Kept>(
      `select id, ${CUSTOMER_COLUMNS} from customers where ${column} = ? order by updated_at desc, id limit ${MOST_ALIKE}`,
    )
  const by = { customerId: alike('customer_id'), extId: alike('ext_id'), email: alike('email'), phone: alike('phone') }
  const add = db.prepare(
    `insert into customers (customer_id, ext_id, email, phone, first_name, last_name, company_name, address, postal_code,
       city, country_code, updated_at) values (@customerId, @extId, @email, @phone, @firstName, @lastName, @companyName,
       @address, @postalCode, @city, @countryCode, @now)`,
  )
  const setKeys = db.prepare(
    'update customers set customer_id = @customerId, ext_id = @extId, email = @email, phone = @phone where id = @id',
  )
  const setRest = db.prepare(
    `update customers set first_name = @firstName, last_name = @lastName, company_name = @companyName,
       address = @address, postal_code = @postalCode, city = @city, country_code = @countryCode, updated_at = @now
       where id = @id`,
  )
  const remove = db.prepare('delete from customers where id = ?')
  const drop = db.prepare('delete from customers where customer_id = ?')
  const isDropped = db.prepare<[string]>(`select 1 from acknowledged where ${MARKED} and subject = ?`)
  const mark = db.prepare<[string]>(
    `insert into acknowledged (destination, flow, subject) values ('${DROPPED.destination}', '${DROPPED.flow}', ?) on conflict do nothing`,
  )
  const unmark = db.prepare<[string]>(`delete from acknowledged where ${MARKED} and subject = ?`)
  const addCount = db.prepare('update customer_count set n = n + ?')

  function keptLike(came: CustomerRecord): Kept[] {
    const found = KEYS.flatMap((key) => {
      const value = came[key]
      return value === null ? [] : by[key].all(value)
    })
    return found.length < 2 ? found : [...new Map(found.map((one) => [one.id, one])).values()]
  }

  /** How many rows there are more. */
  function save(came: CustomerRecord, now: Instant): number {
    const [first, ...others] = samePeople(keptLike(came), came)
    if (!first) {
      add.run({ ...came, now })
      return 1
    }
    let whole = merged(first, came)
    let gone = 0
    // Two rows may be one person by now: the address that came with an id, for example.
    for (const other of others)
      if (samePerson(other, whole)) {
        whole = merged(other, whole)
        remove.run(other.id)
        gone += 1
      }
    // Most of the time the indexes stay as they are.
    if (KEYS.some((key) => whole[key] !== first[key])) setKeys.run({ ...whole, id: first.id })
    setRest.run({ ...whole, id: first.id, now })
    return -gone
  }

  function saveAll(customers: readonly CustomerRecord[], now: Instant): void {
    let more = 0
    for (const customer of customers) if (KEYS.some((key) => customer[key] !== null)) more += save(customer, now)
    if (more !== 0) addCount.run(more)
  }

  return {
    saveCustomers(customers: CustomerRecord[], now: Instant): void {
      for (const { customerId } of customers) if (customerId !== null) unmark.run(droppedSubject(customerId))
      saveAll(customers, now)
    },

    rememberCustomers(customers: CustomerRecord[], now: Instant): void {
      const isAway = ({ customerId }: CustomerRecord) =>
        customerId !== null && isDropped.get(droppedSubject(customerId)) !== undefined
      saveAll(
        customers.filter((one) => !isAway(one)),
        now,
      )
    },

    dropCustomer(customerId: string): void {
      mark.run(droppedSubject(customerId))
      const { changes } = drop.run(customerId)
      if (changes > 0) addCount.run(-changes)
    },
  }
}
