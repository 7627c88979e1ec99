import type { CustomerQuery } from '../../domain/people/customer-query.ts'
import { type CustomerRecord, filledUp, UNKNOWN_CUSTOMER } from '../../domain/people/customer-record.ts'
import { homeSpellings, phoneOf } from '../../domain/people/phone.ts'
import { mayBeOneName } from '../../domain/people/same-person.ts'

interface Found {
  source: string
  found: readonly CustomerRecord[]
}

/** Somebody, and the rows that they were put together from. */
interface Person {
  record: CustomerRecord
  rows: { source: string; record: CustomerRecord }[]
}

/**
 * One row a person, of what sources found (the most trusted first). What the more trusted one does not know is filled up
 * from the others. Who matches exactly comes first, the likeliest number before the others; else as the sources are trusted.
 */
export function mergePeople(answers: readonly Found[], query: CustomerQuery): CustomerRecord[] {
  const people: Person[] = []
  for (const { source, found } of answers)
    for (const row of found) {
      const record = comparable(row)
      const person = findSame(people, source, record)
      if (person) {
        person.record = filledUp(person.record, record)
        person.rows.push({ source, record })
      } else people.push({ record, rows: [{ source, record }] })
    }
  return people
    .map(({ record }) => ({ record, distance: distanceOf(record, query) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ record }) => record)
}

const OWN_MARKS = ['customerId', 'extId', 'email'] as const

/** As records of several sources are compared, however each writes them; an adapter may leave out what it does not know. */
function comparable(record: CustomerRecord): CustomerRecord {
  return {
    ...UNKNOWN_CUSTOMER,
    ...record,
    email: record.email?.trim().toLowerCase() || null,
    phone: phoneOf(null, record.phone ?? null, record.countryCode ?? null),
  }
}

/**
 * The person who has the same customerId, extId or e-mail address; else the one who has the same phone. But whom one system tells apart
 * by its ids or addresses are two people, though they share a phone (a mother and her son), and then the phone says no
 * more which of them is meant. Nor does it where the addresses or the names differ, whoever says so.
 */
function findSame(people: readonly Person[], source: string, record: CustomerRecord): Person | null {
  const others = people.filter((person) => mayBeSame(person, source, record))
  const sure = others.find(({ rows }) =>
    rows.some((row) => OWN_MARKS.some((mark) => isEqual(row.record, record, mark))),
  )
  if (sure) return sure
  const onePhone = people.filter(({ rows }) => rows.some((row) => isEqual(row.record, record, 'phone')))
  const [only] = onePhone
  return onePhone.length === 1 && only && others.includes(only) && isAlike(only.record, record) ? only : null
}

function mayBeSame({ record: known, rows }: Person, source: string, record: CustomerRecord): boolean {
  if (known.customerId !== null && record.customerId !== null) return known.customerId === record.customerId
  const own = rows.filter((row) => row.source === source)
  return own.every((row) => !differ(row.record.extId, record.extId) && !differ(row.record.email, record.email))
}

/** Whether nothing says that these two with one phone are a family. */
function isAlike(one: CustomerRecord, other: CustomerRecord): boolean {
  return !differ(one.email, other.email) && mayBeOneName(one, other)
}

function isEqual(a: CustomerRecord, b: CustomerRecord, mark: keyof CustomerRecord): boolean {
  return a[mark] !== null && a[mark] === b[mark]
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b
}

/** 0: what was asked for, at its likeliest. */
function distanceOf({ email, phone }: CustomerRecord, query: CustomerQuery): number {
  if (query.type === 'email') return email === query.email ? 0 : 1
  if (phone === null) return Number.MAX_SAFE_INTEGER
  const exact = query.numbers.indexOf(phone)
  if (exact !== -1) return exact
  const home = query.numbers.findIndex((number) => homeSpellings(number).includes(phone))
  return query.numbers.length + (home === -1 ? query.numbers.length : home)
}
