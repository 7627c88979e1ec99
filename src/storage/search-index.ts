import { hash } from 'node:crypto'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import { chunksOf } from '../lib/collections.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import type { EventKey, Found, Unindexed } from './arrival.ts'
import type { EventRow } from './rows.ts'
import type { RowOf } from './schema.ts'
import { payloadsOf } from './tables/payloads.ts'
import { first, insertOf, type Later, query, rowsOf, type Steps, statement } from './tables/statement.ts'

export type IndexedKey = RowOf<'searchKeys'>

export interface FoundRow {
  key: string
  event: EventRow
}

const BLOCK = 64

/** HMAC-SHA-256 of prepared pads: node:crypto's Hmac object per key takes six times as long. */
export function keyHasher(secret: string): (key: SearchKey) => string {
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

/** Six bytes, as SQLite has integers: finds too much once in a million questions at ten million events. */
export function cutKey(hashed: string): number {
  return Buffer.from(hashed.slice(0, 12), 'hex').readIntBE(0, 6)
}

/** As many as fit, and one at least. */
export function within<Row extends { size: number }>(rows: readonly Row[], bytes: number): Row[] {
  let sum = 0
  const over = rows.findIndex((row) => {
    sum += Math.min(row.size, MAX_READ)
    return sum > bytes
  })
  return over < 0 ? [...rows] : rows.slice(0, Math.max(1, over))
}

/** Larger bodies are not searched (bytes). */
const MAX_READ = 2 * 1024 * 1024

/** Entries a commit: webhooks wait for it. */
const KEYS_A_COMMIT = 400

interface Index extends Later<typeof searching> {
  foundBy(keys: string[], limit: number): Promise<FoundRow[]>
}

export function createSearch({ searchIndex, indexHashed, unindexHashed, foundBy }: Index) {
  let secret: string | null = null

  /** HMAC with the storage's secret, hex: addresses and numbers cannot be guessed from it. */
  async function hashing(): Promise<(key: SearchKey) => string> {
    secret ??= (await searchIndex()).secret
    return keyHasher(secret)
  }

  async function hashedKeys(keys: readonly SearchKey[]): Promise<string[]> {
    return keys.map(await hashing())
  }

  return {
    /** Comparable, not reversible. */
    hashedKeys,

    /** Newest first, each with its first matching key. */
    async find(keys: readonly SearchKey[], limit: number): Promise<Found[]> {
      const hashed = await hashedKeys(keys)
      const rows = await foundBy(hashed, limit)
      return rows.flatMap(({ key, event }) => {
        const by = keys[hashed.indexOf(key)]
        return by ? [{ key: by, event }] : []
      })
    },

    findHashed: async (keys: readonly string[], limit: number): Promise<EventRow[]> =>
      (await foundBy([...keys], limit)).map(({ event }) => event),

    /** Sorted, so that keys of one page are written together; yields to the event loop. */
    async indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void> {
      const hashOf = await hashing()
      const hashed: IndexedKey[] = []
      await eachInSlices(keys, (one) => void hashed.push({ key: cutKey(hashOf(one)), eventId: one.event }))
      hashed.sort((a, b) => a.key - b.key || a.eventId - b.eventId)
      for (const some of chunksOf(hashed, KEYS_A_COMMIT)) await indexHashed(0, some)
      await indexHashed(upTo, [])
    },

    unindexEvents: async (events: readonly number[], keys: readonly SearchKey[]): Promise<void> =>
      await unindexHashed(events, await hashedKeys(keys)),
  }
}

const getIndex = statement<{ secret: string; upTo: number }>(
  `select encode(secret, 'hex') as secret, up_to as "upTo" from search_index`,
)
const addKeys = insertOf('search_keys', { key: 'bigint', eventId: 'bigint' }, 'on conflict do nothing')
const setUpTo = statement('update search_index set up_to = greatest(up_to, $1::bigint)')
const dropKeys = statement('delete from search_keys where key = any($1::bigint[]) and event_id = any($2::bigint[])')

const nextEvents = statement<Omit<Unindexed, 'body'> & { size: number }>(`
  select id, kind, transport_key as "transportKey", size from events where id > $1 and id <= $2 order by id limit $3`)

/** Events after one, up to another, as many as fit; without the bodies that are too large to be read. */
export function* readToIndex(
  after: number,
  upTo: number,
  { events, bytes }: { events: number; bytes: number },
): Steps<Unindexed[]> {
  const rows = within(yield* query(nextEvents, [after, upTo, events]), bytes)
  const readable = rows.filter(({ size }) => size <= MAX_READ).map(({ id }) => id)
  const payloads = yield* payloadsOf(readable)
  return rows.map(({ size: _, ...row }) => ({ ...row, body: payloads.get(row.id)?.body ?? null }))
}

export const searching = {
  *searchIndex(): Steps<{ secret: string; upTo: number }> {
    return (yield* first(getIndex)) ?? { secret: '', upTo: 0 }
  },

  *indexHashed(upTo: number, keys: readonly IndexedKey[]): Steps<void> {
    if (keys.length > 0) yield* query(addKeys, [rowsOf(keys)])
    yield* query(setUpTo, [upTo])
  },

  *unindexHashed(events: readonly number[], keys: readonly string[]): Steps<void> {
    if (events.length > 0) yield* query(dropKeys, [keys.map(cutKey), events])
  },
}
