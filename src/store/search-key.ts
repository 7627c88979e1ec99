import { hash } from 'node:crypto'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import type { EventKey, Found } from './arrival.ts'
import type { EventRow } from './screens.ts'

/** Events per index segment: random keys of neighbours share few pages. */
export const SEGMENT = 4_096
const AT_ONCE = 500

/** `key`: hex. */
export interface FoundRow {
  key: string
  event: EventRow
}

/** HMAC with the storage's secret, hex: addresses and numbers cannot be guessed from it. */
export function hashedKey(secret: string, key: SearchKey): string {
  return keyHasher(secret)(key)
}

/** Sorted, so that keys of one page are written together; yields to the event loop. */
export async function hashedKeysOf(
  secret: string,
  keys: readonly EventKey[],
): Promise<{ key: string; event: number }[]> {
  const hashOf = keyHasher(secret)
  const hashed: { key: string; event: number }[] = []
  await eachInSlices(keys, (one) => {
    hashed.push({ key: hashOf(one), event: one.event })
  })
  return hashed.sort((a, b) => (a.key < b.key ? -1 : 1))
}

const BLOCK = 64

/** HMAC-SHA-256 of prepared pads: node:crypto's Hmac object per key takes six times as long. */
function keyHasher(secret: string): (key: SearchKey) => string {
  const [inner, outer] = [0x36, 0x5c].map((pad) => {
    const block = Buffer.alloc(BLOCK, pad)
    Buffer.from(secret, 'hex').forEach((byte, index) => {
      block[index] = byte ^ pad
    })
    return block
  }) as [Buffer, Buffer]
  return ({ sort, value }) => {
    const within = hash('sha256', Buffer.concat([inner, Buffer.from(`${sort}\0${value}`)]), 'buffer')
    return hash('sha256', Buffer.concat([outer, within])).slice(0, 32)
  }
}

export function segmentOf(event: number): number {
  return Math.floor(event / SEGMENT)
}

export function lastEventOf(segment: number): number {
  return (segment + 1) * SEGMENT - 1
}

/** Batches of numbers, descending. */
export function downFrom(last: number, first: number): number[][] {
  const lists: number[][] = []
  for (let from = last; from >= first; from -= AT_ONCE)
    lists.push(Array.from({ length: Math.min(AT_ONCE, from - first + 1) }, (_, index) => from - index))
  return lists
}

/** At least the first row, else what fits. */
export function within<Row extends { size: number }>(rows: readonly Row[], bytes: number): Row[] {
  let sum = 0
  const over = rows.findIndex((row) => {
    sum += Math.min(row.size, MOST_READ)
    return sum > bytes
  })
  return over < 0 ? [...rows] : rows.slice(0, Math.max(1, over))
}

/** Larger bodies are not searched (bytes). */
export const MOST_READ = 2 * 1024 * 1024

export function foundOf(secret: string, keys: readonly SearchKey[], rows: readonly FoundRow[]): Found[] {
  const asked = new Map(keys.map((key) => [hashedKey(secret, key), key]))
  return rows.flatMap(({ key, event }) => {
    const by = asked.get(key)
    return by ? [{ key: by, event }] : []
  })
}
