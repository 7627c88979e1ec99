import {
  type ColumnValue,
  type PersonalRow,
  type PersonalTableName,
  personalTable,
} from '../../../src/storage/personal-places.ts'
import { sorted, type Twin } from './twin.ts'

/* A person is taken out of all that is kept of an event, as an erasure does. */

const PERSON = 'customer:3'
const GONE = 'customer:gone'

const OF_EVENTS: readonly PersonalTableName[] = ['payloads', 'events', 'deliveries', 'past_deliveries', 'attempts']

export async function erase({ the: { storage }, events }: Twin, id: number): Promise<unknown> {
  await storage.forgetEvents([id])
  await storage.unindexEvents([id], [{ sort: 'receipt', value: `R${events.indexOf(id)}` }])
  const written = []
  for (const place of OF_EVENTS) {
    const { rows } = await storage.personalPage({ place, ofEvents: [id] })
    const changes = rows.map((row) => ({ place, row: row.row, from: row.values, to: row.values.map(without) }))
    const changed = changes.filter(({ from, to }) => String(from) !== String(to))
    written.push([place, await storage.rewritePersonal(changed), sorted(rows.map(reported(place)), String)])
  }
  return written
}

function without(value: ColumnValue): ColumnValue {
  if (typeof value === 'string') return value.replaceAll(PERSON, GONE)
  return (
    value &&
    Buffer.from(
      Buffer.from(value)
        .toString()
        .replace(/"text":"[^"]*"/, '"text":"gone"'),
    )
  )
}

/** Notes name what proved a delivery by an id that is a store's own. */
const reported =
  (place: PersonalTableName) =>
  ({ values }: PersonalRow): ColumnValue[] =>
    values.map((value, n) => {
      if (value !== null && typeof value !== 'string') return Buffer.from(value).toString()
      return /^(why|note|took_note)$/.test(personalTable(place).columns[n] ?? '') ? null : value
    })
