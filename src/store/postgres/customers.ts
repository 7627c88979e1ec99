import type { CustomerQuery } from '../../domain/people/customer-query.ts'
import { type CustomerRecord, merged, samePeople, samePerson } from '../../domain/people/customer-record.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { createOpening } from '../opening.ts'
import { DROPPED, droppedSubject } from '../people/dropped-customer.ts'
import { type Database, prepared, rowsOf, type Session } from './server/database.ts'

const COLUMNS = `customer_id as "customerId", ext_id as "extId", email, first_name as "firstName", last_name as "lastName",
  company_name as "companyName", phone, address, postal_code as "postalCode", city, country_code as "countryCode"`

/** The columns that a customer is looked up by. */
const KEYS = { customerId: 'customer_id', extId: 'ext_id', email: 'email', phone: 'phone' } as const
type Key = keyof typeof KEYS
const NAMES = Object.keys(KEYS) as Key[]

/** The most customers of one address or number that are compared, the newest: more is nobody's own. */
const MOST_ALIKE = 10

/** The most customers that are found. */
const MOST_FOUND = 10

type Kept = CustomerRecord & { id: number; updatedAt: Instant }

/** One at a time: two hubs that meet the same new person at once would make two rows. */
const lock = prepared(`select count(pg_advisory_xact_lock(hashtextextended('customers', 0)))`)

const alike = Object.values(KEYS).map(
  (column, index) => `
  select c.* from unnest($${index + 1}::text[]) as k (value) cross join lateral (
    select * from customers where ${column} = k.value order by updated_at desc, id limit ${MOST_ALIKE}) as c`,
)
const findAlike = prepared<Kept>(`
  select distinct on (id) id, updated_at as "updatedAt", ${COLUMNS} from (${alike.join(' union all ')}) as c order by id`)

const RECORD = `id bigint, "customerId" text, "extId" text, email text, phone text, "firstName" text, "lastName" text,
  "companyName" text, address text, "postalCode" text, city text, "countryCode" text, "updatedAt" bigint`
const VALUES = `"customerId", "extId", email, phone, "firstName", "lastName", "companyName", address, "postalCode", city,
  "countryCode", "updatedAt"`
const TARGET = `customer_id, ext_id, email, phone, first_name, last_name, company_name, address, postal_code, city,
  country_code, updated_at`

const add = prepared(
  `insert into customers (${TARGET}) select ${VALUES} from json_to_recordset($1::text::json) as r (${RECORD})`,
)
const change = prepared(`
  update customers c set (${TARGET}) = (r."customerId", r."extId", r.email, r.phone, r."firstName", r."lastName",
      r."companyName", r.address, r."postalCode", r.city, r."countryCode", r."updatedAt")
    from json_to_recordset($1::text::json) as r (${RECORD}) where c.id = r.id`)
const remove = prepared('delete from customers where id = any($1::bigint[])')
const drop = prepared('delete from customers where customer_id = $1 returning id')
const MARKED = `destination = '${DROPPED.destination}' and flow = '${DROPPED.flow}'`
const dropped = prepared<{ subject: string }>(
  `select s.subject from unnest($1::text[]) as s(subject),
     lateral (select 1 from acknowledged where ${MARKED} and subject = s.subject limit 1) as marked`,
)
const mark = prepared(
  `insert into acknowledged (destination, flow, subject) values ('${DROPPED.destination}', '${DROPPED.flow}', $1) on conflict do nothing`,
)
const unmark = prepared(`delete from acknowledged where ${MARKED} and subject = $1`)
const addCount = prepared('update customer_count set n = n + $1')

const newest = `order by updated_at desc, id desc limit ${MOST_FOUND}`
const byEmail = prepared<CustomerRecord>(`select ${COLUMNS} from customers where email = $1 ${newest}`)
const byPhone = prepared<CustomerRecord>(`select ${COLUMNS} from customers where phone = any($1::text[]) ${newest}`)
const count = prepared<{ n: number }>('select n from customer_count')

/** The customer directory: one row a person. */
export function createCustomers(db: Database, whileOpen: ReturnType<typeof createOpening>['whileOpen']) {
  return {
    saveCustomers: whileOpen(async (customers: CustomerRecord[], now: Instant): Promise<void> => {
      await db.transaction(async (session) => {
        await session.query(lock)
        for (const { subject } of await session.query(dropped, [marksOf(customers)]))
          await session.query(unmark, [subject])
        await saveAll(session, customers, now)
      })
    }),

    rememberCustomers: whileOpen(async (customers: CustomerRecord[], now: Instant): Promise<void> => {
      await db.transaction(async (session) => {
        await session.query(lock)
        const away = new Set((await session.query(dropped, [marksOf(customers)])).map(({ subject }) => subject))
        const left = customers.filter((one) => !marksOf([one]).some((subject) => away.has(subject)))
        await saveAll(session, left, now)
      })
    }),

    dropCustomer: whileOpen(async (customerId: string): Promise<void> => {
      await db.transaction(async (session) => {
        await session.query(lock)
        await session.query(mark, [droppedSubject(customerId)])
        const gone = await session.query(drop, [customerId])
        if (gone.length > 0) await session.query(addCount, [-gone.length])
      })
    }),

    /** The number as it was typed is compared with numbers that were kept without their country. */
    findCustomers: whileOpen(
      (query: CustomerQuery): Promise<CustomerRecord[]> =>
        query.type === 'email'
          ? db.query(byEmail, [query.email])
          : db.query(byPhone, [[...query.numbers, query.typed]]),
    ),

    customerCount: whileOpen(async (): Promise<number> => (await db.query(count))[0]?.n ?? 0),
  }
}

/** The marks of those of them who were dropped, if they were. */
function marksOf(customers: readonly CustomerRecord[]): string[] {
  return customers.flatMap(({ customerId }) => (customerId === null ? [] : [droppedSubject(customerId)]))
}

async function saveAll(session: Session, all: readonly CustomerRecord[], now: Instant): Promise<void> {
  const customers = all.filter((one) => NAMES.some((key) => one[key] !== null))
  if (customers.length === 0) return
  const valuesOf = (key: Key) => [...new Set(customers.flatMap((one) => one[key] ?? []))]
  const people = createPeople(await session.query(findAlike, NAMES.map(valuesOf)))
  for (const customer of customers) people.save(customer, now)
  const { added, changed, removed } = people.changes()
  if (added.length > 0) await session.query(add, [rowsOf(added)])
  if (changed.length > 0) await session.query(change, [rowsOf(changed)])
  if (removed.length > 0) await session.query(remove, [removed])
  const more = added.length - removed.length
  if (more !== 0) await session.query(addCount, [more])
}

/** The place of a row among those of one instant: in the order in which they first came, new ones last. */
function placeOf({ id }: Kept): number {
  return id > 0 ? id : Number.MAX_SAFE_INTEGER / 2 - id
}

/** The rows that a list of customers may be about, and what the list makes of them. New ones have ids below 0. */
function createPeople(rows: readonly Kept[]) {
  const people = new Map(rows.map((row) => [row.id, row]))
  const ids = new Map<string, Set<number>>()
  const touched = new Set<number>()
  const removed: number[] = []
  let made = 0
  for (const row of rows) index(row)

  function index(row: Kept) {
    for (const key of NAMES) {
      const name = `${key} ${row[key]}`
      if (row[key] !== null) ids.set(name, (ids.get(name) ?? new Set()).add(row.id))
    }
  }

  function like(came: CustomerRecord): Kept[] {
    const found = NAMES.flatMap((key) => {
      const those = [...(ids.get(`${key} ${came[key]}`) ?? [])].flatMap((id) => people.get(id) ?? [])
      const still = those.filter((one) => came[key] !== null && one[key] === came[key])
      return still.sort((a, b) => b.updatedAt - a.updatedAt || placeOf(a) - placeOf(b)).slice(0, MOST_ALIKE)
    })
    return [...new Set(found)]
  }

  function put(row: Kept) {
    people.set(row.id, row)
    touched.add(row.id)
    index(row)
  }

  return {
    save(came: CustomerRecord, now: Instant) {
      const [first, ...others] = samePeople(like(came), came)
      if (!first) {
        made += 1
        return put({ ...came, id: -made, updatedAt: now })
      }
      let whole = merged(first, came)
      // Two rows may be one person by now: the address that came with an id, for example.
      for (const other of others)
        if (samePerson(other, whole)) {
          whole = merged(other, whole)
          people.delete(other.id)
          if (other.id > 0) removed.push(other.id)
        }
      put({ ...whole, id: first.id, updatedAt: now })
    },

    changes() {
      const left = [...touched].flatMap((id) => people.get(id) ?? [])
      return { added: left.filter(({ id }) => id < 0), changed: left.filter(({ id }) => id > 0), removed }
    },
  }
}
