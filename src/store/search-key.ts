import { hash } from 'node:crypto'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import type { EventKey, Found } from './arrival.ts'
import type { EventRow } from './screens.ts'

/** Events whose keys lie together, by their ids: those of new events, which are random, then share few pages. */
export const SEGMENT = 4_096

/** Segments, or volumes, that one question takes. */
const AT_ONCE = 500

/** An event; `key`: under which it is kept, in hex. */
export interface FoundRow {
  key: string
  event: EventRow
}

/** A key as it is kept, in hex: without the store's secret nobody can try addresses and numbers against it. */
export function hashedKey(secret: string, key: SearchKey): string {
  return keyHasher(secret)(key)
}

/** The keys of events as they are kept, in their order: those of one page are written together. Others have turns meanwhile. */
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

/** The block that SHA-256 takes at a time (bytes). */
const BLOCK = 64

/**
 * HMAC-SHA-256, by the two hashes that it consists of, whose beginnings are ready: Node's own makes an object for each key, which takes six
 * times as long. The secret is no longer than a block.
 */
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

/** The last event that a segment can have. */
export function lastEventOf(segment: number): number {
  return (segment + 1) * SEGMENT - 1
}

/** Numbers from the last down to the first, in lists that one question takes. */
export function downFrom(last: number, first: number): number[][] {
  const lists: number[][] = []
  for (let from = last; from >= first; from -= AT_ONCE)
    lists.push(Array.from({ length: Math.min(AT_ONCE, from - first + 1) }, (_, index) => from - index))
  return lists
}

/** A page of events to index: no more than fits, but for the first. */
export function within<Row extends { size: number }>(rows: readonly Row[], bytes: number): Row[] {
  let sum = 0
  const over = rows.findIndex((row) => {
    sum += Math.min(row.size, MOST_READ)
    return sum > bytes
  })
  return over < 0 ? [...rows] : rows.slice(0, Math.max(1, over))
}

/** A larger body is not looked through (bytes): it would keep others waiting, and hardly any speaks of one person. */
export const MOST_READ = 2 * 1024 * 1024

/** The events found, under the keys that were asked for. */
export function foundOf(secret: string, keys: readonly SearchKey[], rows: readonly FoundRow[]): Found[] {
  const asked = new Map(keys.map((key) => [hashedKey(secret, key), key]))
  return rows.flatMap(({ key, event }) => {
    const by = asked.get(key)
    return by ? [{ key: by, event }] : []
  })
}
