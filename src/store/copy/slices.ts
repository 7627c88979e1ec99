import { createOrderedDigest, createSummedDigest, type Digest } from './digest.ts'
import type { CopiedTable } from './tables.ts'

/** A place in a table: the values of its key there, as JSON has them (bytes in hex). */
export type Place = readonly (number | string)[]

/** Rows of a table that were copied in one commit. */
export interface Slice {
  /** The key of the last; null: it reaches to the end of the table. */
  upTo: Place | null
  rows: number
  /** What the rows amount to in a hash (digest.ts). */
  digest: string
}

/** What the rows of a table are hashed with: by one order, if file and server have one. */
export function digestOf({ key }: CopiedTable): Digest {
  return key.length > 0 ? createOrderedDigest() : createSummedDigest()
}

/** The place of a row of the file. */
export function placeOf({ columns, key }: CopiedTable, row: readonly unknown[]): Place {
  return key.map((column) => {
    const value = row[columns.indexOf(column)]
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : Number(value)
  })
}

/** The values of a place, as SQLite takes them. */
export function valuesOf(place: Place): (number | Buffer)[] {
  return place.map((value) => (typeof value === 'number' ? value : Buffer.from(value, 'hex')))
}

/** The rows behind one place up to another, as a condition of PostgreSQL, which people can use too. */
export function between({ key }: CopiedTable, after: Place | null, upTo: Place | null): string {
  const names = tuple(key.map(({ name }) => name))
  const literals = (place: Place) =>
    tuple(
      place.map((value, index) => {
        if (typeof value === 'number') return String(value)
        return key[index]?.type === 'uuid' ? `'${value}'::uuid` : `'\\x${value}'::bytea`
      }),
    )
  const sides = [
    ...(after ? [`${names} > ${literals(after)}`] : []),
    ...(upTo ? [`${names} <= ${literals(upTo)}`] : []),
  ]
  return sides.join(' and ') || 'true'
}

/** What reads the rows of a table from the file, behind a place if one is given (its values are parameters). */
export function selectFrom({ name, columns, key }: CopiedTable, after: Place | null): string {
  const all = `select ${columns.map(({ expression }) => expression).join(', ')} from ${name}`
  if (key.length === 0) return all
  const order = key.map(({ expression }) => expression)
  const behind = after ? ` where ${tuple(order)} > ${tuple(order.map(() => '?'))}` : ''
  return `${all}${behind} order by ${order.join(', ')}`
}

/** One needs no brackets. */
function tuple(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(', ')})`
}
