import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Unindexed } from '../../../src/storage/arrival.ts'
import { eventually } from '../../eventually.ts'
import type { Act, Twin } from './twin.ts'
import { KINDS, type World } from './world.ts'

/** What the hub does with what is old, which nobody may notice: what is settled goes to the past, payloads into blocks, keys are packed. */
export function keep({ choose, below }: World): Act {
  const age = choose([0, 1_000, 3_600_000])
  const kind = choose(KINDS)
  const nth = below(60)
  return choose<Act>([
    { name: `move to the past ${age}`, on: (twin) => toThePast(twin, age) },
    { name: `pack payloads ${age}`, on: (twin) => packPayloads(twin, age) },
    { name: 'index', on: index },
    { name: `drop payloads ${kind} ${nth}`, on: (twin) => dropPayloads(twin, kind, nth) },
    { name: `drop events ${nth}`, on: (twin) => dropEvents(twin, nth) },
  ])
}

/** How many go at once is a store's own affair. */
export async function toThePast({ the: { storage, clock } }: Twin, age: number): Promise<void> {
  for (let after: number | null = 0; after !== null; )
    after = (await storage.movePast(after, clock.now() - age, 10)).after
}

function packPayloads({ the: { storage, clock } }: Twin, age: number): Promise<number> {
  return untilNone(async () => (await storage.packPayloads(clock.now() - age)).payloads)
}

async function untilNone(next: () => Promise<number>): Promise<number> {
  let count = 0
  for (;;) {
    const some = await next()
    if (some === 0) return count
    count += some
  }
}

/** Each event can be found by what it says, and by a key of its own. */
async function index(twin: Twin): Promise<unknown> {
  const { the, events } = twin
  const { storage } = the
  const fresh = await unindexed(twin)
  const keys = fresh.flatMap(({ id, body }) => [
    { event: id, sort: 'order' as const, value: body === null ? randomUUID() : textOf(body) },
    { event: id, sort: 'receipt' as const, value: `R${events.indexOf(id)}` },
  ])
  const last = fresh.at(-1)
  if (last) await storage.indexKeys(last.id, keys)
  const found = await storage.find([{ sort: 'order', value: '/1' }], 5)
  const hashed = await storage.findHashed(
    await storage.hashedKeys([{ sort: 'receipt', value: `R${events.length - 1}` }]),
    5,
  )
  const named = [...found.map(({ event }) => event), ...hashed].map(({ id }) => events.indexOf(id))
  return [fresh.map(({ id, kind }) => [events.indexOf(id), kind]), named]
}

/** All of them, once it is certain that none of a lower id can come: whoever else is at work on the server may keep it waiting. */
async function unindexed({ the: { storage } }: Twin): Promise<Unindexed[]> {
  const { upTo } = await storage.searchReach()
  const newest = (await storage.events({ after: upTo, limit: 1_000 })).at(-1)?.id
  return await eventually(async () => {
    const fresh = await storage.unindexed({ events: 1_000, bytes: 1_000_000 })
    expect(fresh.at(-1)?.id).toBe(newest)
    return fresh
  })
}

function textOf(body: Uint8Array): string {
  return (JSON.parse(Buffer.from(body).toString()) as { text: string }).text
}

async function dropPayloads({ the: { storage }, events }: Twin, kind: string, nth: number): Promise<number> {
  const upTo = events[nth]
  if (upTo === undefined) return 0
  const { events: retained } = await storage.retained(upTo, 1_000)
  const except = retained.map(({ event }) => event)
  return await untilNone(async () => (await storage.dropPayloads({ kind, upTo, except })).dropped)
}

async function dropEvents({ the: { storage }, events }: Twin, nth: number): Promise<unknown> {
  const upTo = events[nth] ?? 0
  const { events: retained } = await storage.retained(upTo, 1_000)
  const stays = new Set(retained.map(({ event }) => event))
  const went = { events: 0, deliveries: 0, attempts: 0 }
  for (let left = events.slice(0, nth + 1).filter((id) => !stays.has(id)); left.length > 0; ) {
    const dropped = await storage.dropEvents(left)
    went.events += dropped.events
    went.deliveries += dropped.deliveries
    went.attempts += dropped.attempts
    left = left.slice(dropped.seen)
  }
  return [went, retained.map(({ event, why }) => [events.indexOf(event), why])]
}
