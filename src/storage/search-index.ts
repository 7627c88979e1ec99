import { hash } from 'node:crypto'
import type { SearchKey } from '../domain/queue/search-keys.ts'
import { chunksOf } from '../lib/collections.ts'
import { eachInSlices } from '../lib/semaphore.ts'
import type { EventKey, Found, Unindexed } from './arrival.ts'
import type { EventRow } from './rows.ts'
import { type BlockCache, payloadsOf } from './tables/payloads.ts'
import { inSqlite, query, rowsOf, type Steps, statement } from './tables/statement.ts'

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

function within<Row extends { size: number }>(rows: readonly Row[], bytes: number): Row[] {
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

interface Index {
  searchIndex(): Promise<{ secret: string }>
  indexHashed(upTo: number, keys: readonly IndexedKey[]): Promise<unknown>
  unindexHashed(events: readonly number[], keys: readonly string[]): Promise<void>
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

    /** Sorted, so that blocks of one page are written together; yields to the event loop. */
    async indexKeys(upTo: number, keys: readonly EventKey[]): Promise<void> {
      const hashOf = await hashing()
      const hashed: IndexedKey[] = []
      await eachInSlices(keys, (one) => void hashed.push({ key: hashOf(one), event: one.event }))
      hashed.sort((a, b) => (a.key < b.key ? -1 : 1))
      for (const some of chunksOf(hashed, KEYS_A_COMMIT)) await indexHashed(0, some)
      await indexHashed(upTo, [])
    },

    unindexEvents: async (events: readonly number[], keys: readonly SearchKey[]): Promise<void> =>
      await unindexHashed(events, await hashedKeys(keys)),
  }
}

/*
 * The search index: per volume of 65,536 events up to 4,096 blocks, by the key's first 12 bits. An entry is the key's
 * bytes 2 to 6 and the event's number in the volume; the cut finds too much once in a million questions at ten million
 * events.
 */

const KEY = 5
const ENTRY = KEY + 2
const VOLUME = 65_536
export const BLOCKS = 4_096

export interface Block {
  place: number
  body: Uint8Array
}

export interface IndexedKey {
  key: string
  event: number
}

export interface Sought {
  key: string
  place: number
  first: number
}

function volumeOf(event: number): number {
  return Math.floor(event / VOLUME)
}

export function volumeAt(place: number): number {
  return Math.floor(place / BLOCKS)
}

export function firstEventIn(volume: number): number {
  return volume * VOLUME
}

export function lastEventIn(volume: number): number {
  return firstEventIn(volume + 1) - 1
}

export function inVolumes(volumes: readonly number[], keys: readonly string[]): Sought[] {
  return volumes.flatMap((volume) =>
    keys.map((key) => ({ key, place: locationOf(volume, key), first: firstEventIn(volume) })),
  )
}

function blocksOf(keys: readonly IndexedKey[]): Block[] {
  const blocks = Map.groupBy(keys, ({ key, event }) => locationOf(volumeOf(event), key))
  return [...blocks].map(([place, those]) => ({ place, body: Buffer.concat(those.map(entryOf)) }))
}

function withoutKeys(body: Uint8Array, key: string, events: readonly number[]): Buffer {
  const entries = new Set(events.map((event) => entryOf({ key, event }).toString('hex')))
  return filterEntries(body, (entry) => !entries.has(entry.toString('hex')))
}

export function onlyOf(body: Uint8Array, events: ReadonlySet<number>, first: number): Buffer {
  return filterEntries(body, (entry) => events.has(first + entry.readUInt16LE(KEY)))
}

export function eventsIn(body: Uint8Array, key: string, first: number): number[] {
  const bytes = asBuffer(body)
  const wanted = entryOf({ key, event: first })
  const events: number[] = []
  // Thousands of blocks per question: no allocation per entry.
  for (let at = 0; at < bytes.byteLength; at += ENTRY)
    if (bytes.compare(wanted, 0, KEY, at, at + KEY) === 0) events.push(first + bytes.readUInt16LE(at + KEY))
  return events
}

function locationOf(volume: number, key: string): number {
  return volume * BLOCKS + Number.parseInt(key.slice(0, 3), 16)
}

function entryOf({ key, event }: IndexedKey): Buffer {
  const entry = Buffer.alloc(ENTRY)
  entry.write(key.slice(2, 2 + 2 * KEY), 'hex')
  entry.writeUInt16LE(event % VOLUME, KEY)
  return entry
}

function filterEntries(body: Uint8Array, isWanted: (entry: Buffer) => boolean): Buffer {
  const bytes = asBuffer(body)
  const entries = Array.from({ length: bytes.byteLength / ENTRY }, (_, nth) =>
    bytes.subarray(nth * ENTRY, (nth + 1) * ENTRY),
  )
  return Buffer.concat(entries.filter(isWanted))
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

const getIndex = statement<{ secret: string; upTo: number }>(
  `select encode(secret, 'hex') as secret, up_to as "upTo" from search_index`,
)
const APPEND = `
  insert into search_blocks as b (place, body)
    select place, decode(body, 'hex') from json_to_recordset($1::text::json) as k (place bigint, body text) where true
    on conflict (place) do update set body =`
const append = statement(
  `${APPEND} b.body || excluded.body`,
  inSqlite(`${APPEND} cast(b.body || excluded.body as blob)`),
)
const setUpTo = statement('update search_index set up_to = greatest(up_to, $1::bigint)')
const getBlocks = statement<{ place: number; body: Buffer }>(
  'select place, body from search_blocks where place = any($1::bigint[]) order by place for update',
)
const setBlock = statement('update search_blocks set body = $2 where place = $1')

const nextEvents = statement<Omit<Unindexed, 'body'> & { size: number }>(`
  select id, kind, transport_key as "transportKey", size from events where id > $1 and id <= $2 order by id limit $3`)

/** Events after one, up to another, as many as fit; without the bodies that are too large to be read. */
export function* readToIndex(
  after: number,
  upTo: number,
  { events, bytes }: { events: number; bytes: number },
  blocks: BlockCache | null = null,
): Steps<Unindexed[]> {
  const rows = within(yield* query(nextEvents, [after, upTo, events]), bytes)
  const readable = rows.filter(({ size }) => size <= MAX_READ).map(({ id }) => id)
  const payloads = yield* payloadsOf(readable, blocks)
  return rows.map(({ size: _, ...row }) => ({ ...row, body: payloads.get(row.id)?.body ?? null }))
}

export const searching = {
  *searchIndex(): Steps<{ secret: string; upTo: number }> {
    const [index] = yield* query(getIndex)
    return index ?? { secret: '', upTo: 0 }
  },

  *indexHashed(upTo: number, keys: readonly IndexedKey[]): Steps<void> {
    const rows = blocksOf(keys).map(({ place, body }) => ({ place, body: Buffer.from(body).toString('hex') }))
    if (rows.length > 0) yield* query(append, [rowsOf(rows)])
    yield* query(setUpTo, [upTo])
  },

  *unindexHashed(events: readonly number[], keys: readonly string[]): Steps<void> {
    const volumes = Map.groupBy(events, volumeOf)
    const sought = Map.groupBy(inVolumes([...volumes.keys()], keys), ({ place }) => place)
    for (const { place, body } of yield* query(getBlocks, [[...sought.keys()]])) {
      const left = (sought.get(place) ?? []).reduce<Uint8Array>(
        (block, { key, first }) => withoutKeys(block, key, volumes.get(volumeOf(first)) ?? []),
        body,
      )
      if (left.byteLength < body.byteLength) yield* query(setBlock, [place, left])
    }
  },
}
