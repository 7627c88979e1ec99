import type { CustomerQuery } from '../../domain/customers/customer-query.ts'
import { type CustomerRecord, merged, samePeople, samePerson } from '../../domain/customers/customer-record.ts'
import { DIRECTORY, keyPart } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoredCustomer } from '../rows.ts'
import { apiKeyReads } from './access.ts'
import {
  type ColumnTypes,
  first,
  givenOf,
  insertOf,
  isGiven,
  lockOf,
  query,
  rowsOf,
  type Steps,
  selected,
  statement,
} from './statement.ts'

/** The mark of a dropped customer, a row of `acknowledged`: old sales must not bring them back. */
const DROPPED = { destination: DIRECTORY, flow: 'drop' } as const

function droppedSubject(customerId: string): string {
  return `customer:${keyPart(customerId)}`
}

const KEYS = { customerId: 'customer_id', extId: 'ext_id', email: 'email', phone: 'phone' } as const
type Key = keyof typeof KEYS
const NAMES = Object.keys(KEYS) as Key[]

const REST = ['firstName', 'lastName', 'companyName', 'address', 'postalCode', 'city', 'countryCode'] as const
const COLUMNS = selected(...NAMES, ...REST)

const MAX_ALIKE = 10
/** Two hubs would create two rows for one new person. */
const lock = lockOf('customers')

const newestAlike = (column: string, value: string) =>
  `from customers where ${column} = ${value} order by updated_at desc, id limit ${MAX_ALIKE}`
const alike = Object.values(KEYS).map(
  (column, index) => `
    select c.* from unnest($${index + 1}::text[]) as k (value) cross join lateral (select * ${newestAlike(column, 'k.value')}) as c`,
)
const alikeInSqlite = Object.values(KEYS).map(
  (column, index) => `
    select c.* from json_each($${index + 1}) cross join customers c on c.id in (select id ${newestAlike(column, 'json_each.value')})`,
)
const findAlike = statement<StoredCustomer>(
  `select distinct on (id) id, updated_at as "updatedAt", ${COLUMNS} from (${alike.join(' union all ')}) as c order by id`,
  `select id, updated_at as "updatedAt", ${COLUMNS} from (${alikeInSqlite.join(' union ')}) order by id`,
)

const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'text'] as const))
const add = insertOf('customers', { ...texts([...NAMES, ...REST]), updatedAt: 'bigint' })
const setOf = (names: readonly string[], more: ColumnTypes = {}) => {
  const columns = { ...texts(names), ...more }
  return statement(`
    update customers set ${Object.keys(columns).map(isGiven).join(', ')}
      from ${givenOf({ id: 'bigint', ...columns })} where customers.id = r.id`)
}
const setKeys = setOf(NAMES)
const setRest = setOf(REST, { updatedAt: 'bigint' })
const remove = statement('delete from customers where id = any($1::bigint[])')
const drop = statement<{ id: number }>('delete from customers where customer_id = $1 returning id')

const MARKED = `destination = '${DROPPED.destination}' and flow = '${DROPPED.flow}'`
const dropped = statement<{ subject: string }>(
  `select s.subject from unnest($1::text[]) as s(subject),
     lateral (select 1 from acknowledged where ${MARKED} and subject = s.subject limit 1) as marked`,
  `select subject from acknowledged where ${MARKED} and subject in (select value from json_each($1))`,
)
const mark = statement(`
  insert into acknowledged (destination, flow, subject) values ('${DROPPED.destination}', '${DROPPED.flow}', $1)
    on conflict do nothing`)
const unmark = statement(`delete from acknowledged where ${MARKED} and subject = $1`)
export const addCustomers = statement('update customer_count set n = n + $1')

const NEWEST = `order by updated_at desc, id desc limit ${MAX_ALIKE}`
const byEmail = statement<CustomerRecord>(`select ${COLUMNS} from customers where email = $1 ${NEWEST}`)
const byPhone = statement<CustomerRecord>(`select ${COLUMNS} from customers where phone = any($1::text[]) ${NEWEST}`)
const count = statement<{ n: number }>('select n from customer_count')

const customerReads = {
  /** As typed: stored numbers may lack the country. */
  findCustomers: (asked: CustomerQuery) =>
    asked.type === 'email' ? query(byEmail, [asked.email]) : query(byPhone, [[...asked.numbers, asked.typed]]),
  *customerCount(): Steps<number> {
    return (yield* first(count))?.n ?? 0
  },
}

export const customerWrites = {
  *saveCustomers(customers: readonly CustomerRecord[], now: Instant): Steps<void> {
    yield* query(lock)
    for (const { subject } of yield* query(dropped, [marksOf(customers)])) yield* query(unmark, [subject])
    yield* saveAll(customers, now)
  },

  *rememberCustomers(customers: readonly CustomerRecord[], now: Instant): Steps<void> {
    yield* query(lock)
    const away = new Set((yield* query(dropped, [marksOf(customers)])).map(({ subject }) => subject))
    const left = customers.filter((one) => !marksOf([one]).some((subject) => away.has(subject)))
    yield* saveAll(left, now)
  },

  *dropCustomer(customerId: string): Steps<void> {
    yield* query(lock)
    yield* query(mark, [droppedSubject(customerId)])
    const gone = yield* query(drop, [customerId])
    if (gone.length > 0) yield* query(addCustomers, [-gone.length])
  },
}

function marksOf(customers: readonly CustomerRecord[]): string[] {
  return customers.flatMap(({ customerId }) => (customerId === null ? [] : [droppedSubject(customerId)]))
}

function* saveAll(all: readonly CustomerRecord[], now: Instant): Steps<void> {
  const customers = all.filter((one) => NAMES.some((key) => one[key] !== null))
  if (customers.length === 0) return
  const valuesOf = (key: Key) => [...new Set(customers.flatMap((one) => one[key] ?? []))]
  const before = yield* query(findAlike, NAMES.map(valuesOf))
  const { added, changed, removed } = mergePeople(before, customers, now)
  const was = new Map(before.map((row) => [row.id, row]))
  const renamed = changed.filter((row) => NAMES.some((key) => row[key] !== was.get(row.id)?.[key]))
  if (removed.length > 0) yield* query(remove, [removed])
  if (added.length > 0) yield* query(add, [rowsOf(added)])
  if (renamed.length > 0) yield* query(setKeys, [rowsOf(renamed)])
  if (changed.length > 0) yield* query(setRest, [rowsOf(changed)])
  const more = added.length - removed.length
  if (more !== 0) yield* query(addCustomers, [more])
}

/** Merges customers into the rows that may be theirs; new rows get negative ids. */
function mergePeople(rows: readonly StoredCustomer[], customers: readonly CustomerRecord[], now: Instant) {
  const people = new Map(rows.map((row) => [row.id, row]))
  const ids = new Map<string, Set<number>>()
  const touched = new Set<number>()
  const removed: number[] = []
  let made = 0
  for (const row of rows) index(row)

  function index(row: StoredCustomer) {
    for (const key of NAMES) {
      const name = `${key} ${row[key]}`
      if (row[key] !== null) ids.set(name, (ids.get(name) ?? new Set()).add(row.id))
    }
  }

  function like(came: CustomerRecord): StoredCustomer[] {
    const found = NAMES.flatMap((key) => {
      const those = [...(ids.get(`${key} ${came[key]}`) ?? [])].flatMap((id) => people.get(id) ?? [])
      const still = those.filter((one) => came[key] !== null && one[key] === came[key])
      return still.sort((a, b) => b.updatedAt - a.updatedAt || locationOf(a) - locationOf(b)).slice(0, MAX_ALIKE)
    })
    return [...new Set(found)]
  }

  function put(row: StoredCustomer) {
    people.set(row.id, row)
    touched.add(row.id)
    index(row)
  }

  function save(came: CustomerRecord) {
    const [first, ...others] = samePeople(like(came), came)
    if (!first) {
      made += 1
      return put({ ...came, id: -made, updatedAt: now })
    }
    let whole = merged(first, came)
    // Two rows may turn out to be one person, for instance by an address that came with an id.
    for (const other of others)
      if (samePerson(other, whole)) {
        whole = merged(other, whole)
        people.delete(other.id)
        if (other.id > 0) removed.push(other.id)
      }
    put({ ...whole, id: first.id, updatedAt: now })
  }

  for (const customer of customers) save(customer)
  const left = [...touched].flatMap((id) => people.get(id) ?? [])
  return { added: left.filter(({ id }) => id < 0), changed: left.filter(({ id }) => id > 0), removed }
}

function locationOf({ id }: StoredCustomer): number {
  return id > 0 ? id : Number.MAX_SAFE_INTEGER / 2 - id
}

/** What a POS waits for: who asks, and whom it asks about. */
export const directory = { ...apiKeyReads, ...customerReads }
