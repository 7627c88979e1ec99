import { field } from '../../domain/values/field.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { NotJson } from '../long-lists/not-json.ts'
import type { Listed } from './listed.ts'
import { asRecord, UnexpectedAnswer, type WireRecord } from './read.ts'
import { readList } from './read-list.ts'

/** Reads each row of a list; a record alone, which is no list, must be what was asked for. */
export function readListed<T>(answer: unknown, what: string, read: (record: WireRecord) => T): Listed<T> {
  const list = Array.isArray(answer) ? answer : field(answer, 'value')
  if (!Array.isArray(list)) return { rows: readList(answer, what, read), aside: [] }
  return readRows(list, (value) => read(asRecord(value)))
}

/** The same of a list that may be very long, or comes row by row: others have turns in between. */
export async function readManyListed<T>(
  answer: unknown,
  what: string,
  read: (record: WireRecord) => T,
): Promise<Listed<T>> {
  const list = isList(answer) ? answer : field(answer, 'value')
  return isList(list) ? await readManyRows(list, (value) => read(asRecord(value))) : readListed(answer, what, read)
}

/** As JSON, or as a list that is read row by row. */
export function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** Reads each row. `read` throws an UnexpectedAnswer for one that it cannot read. */
export function readRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Listed<T> {
  const { listed, add } = createList(read)
  for (const value of list) add(value)
  return listed
}

/** The same of very many rows, which may come one at a time: others have turns in between. */
export async function readManyRows<T>(list: Iterable<unknown>, read: (value: unknown) => T): Promise<Listed<T>> {
  const { listed, add } = createList(read)
  await eachInSlices(list, add)
  return listed
}

function createList<T>(read: (value: unknown) => T) {
  const listed: Listed<T> = { rows: [], aside: [] }
  let row = 0
  return {
    listed,
    add(value: unknown): void {
      row += 1
      if (value instanceof NotJson) {
        listed.aside.push({ row, why: 'is not JSON', record: value.text })
        return
      }
      try {
        listed.rows.push(read(value))
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer)) throw error
        listed.aside.push({ row, why: error.message, record: value })
      }
    },
  }
}
