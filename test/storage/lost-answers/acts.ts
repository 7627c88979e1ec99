import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import type { Instant } from '../../../src/domain/values/instant.ts'
import type { NewDelivery, Unindexed, Verdict } from '../../../src/storage/arrival.ts'
import type { Claim } from '../../../src/storage/claim.ts'
import type { DeliveryFilter, EventFilter } from '../../../src/storage/rows.ts'
import { eventually } from '../../eventually.ts'
import { by, LEASE, PLENTY, settlement } from '../acting.ts'
import { compressAll } from '../payloads/compress-all.ts'
import type { StoreUnderTest } from '../under-test.ts'
import { DESTINATIONS, due, FLOWS, KINDS, type Sketch, type World } from './world.ts'

/** One of the two storages. */
export interface Side {
  the: StoreUnderTest
  /** In the order in which they were first acknowledged: ids may differ. */
  events: number[]
  submissions: number[]
  /** What was claimed and not settled, by name, and when. */
  claims: Map<string, Claim & { at: Instant }>
}

/** Done to both: what it returns is the same of both. Nothing is returned where to be asked again changes the answer. */
export interface Act {
  name: string
  on(side: Side): Promise<unknown>
}

function act(name: string, on: Act['on']): Act {
  return { name, on }
}

/** No batch waits for more. */
export const ROOM = { ...PLENTY, batch: { ...PLENTY.batch, linger: 0 } }

export function sorted<T>(them: readonly T[], by: (one: T) => string): T[] {
  return them.toSorted((a, b) => (by(a) < by(b) ? -1 : 1))
}

export function nameOfEvent({ events }: Side, id: number | null): number | null {
  return id === null ? null : events.indexOf(id)
}

export function accept({ text, isRicher, deliveries = [], ...given }: Sketch): Act {
  return act(`accept ${JSON.stringify({ text, isRicher, deliveries, ...given })}`, async (side) => {
    const { storage, clock } = side.the
    const arrival = side.the.arrival({ ...given, deliveries: due(deliveries, clock.now()), payload: { text } })
    const [verdict] = await storage.accept([arrival])
    if (!verdict) return
    remember(side, verdict, given.problem != null)
    if (!isRicher || verdict.status !== 'duplicate' || !verdict.otherBytes || arrival.identity === null) return
    // As ingest does with a payload that says more than the event that it is a copy of.
    const event = await storage.event(verdict.id)
    if (event?.kind === arrival.kind && event.identity === arrival.identity)
      await storage.accept([{ ...arrival, completes: { event: verdict.id, bodyHash: event.bodyHash } }])
  })
}

function remember({ events, submissions }: Side, verdict: Verdict, isQuarantined: boolean): void {
  // Where an answer was lost, the same again is a duplicate of what was never acknowledged here.
  if (!events.includes(verdict.id)) events.push(verdict.id)
  // Of what is quarantined, only a duplicate tells.
  const submission = 'submission' in verdict && !isQuarantined ? verdict.submission : null
  if (submission !== null && !submissions.includes(submission)) submissions.push(submission)
}

export function endSubmission(nth: number, refused: number): Act {
  return act(`end submission ${nth} ${refused}`, async ({ the: { storage, clock }, submissions }) => {
    const id = submissions[nth]
    if (id !== undefined) await storage.endSubmission(id, { at: clock.now(), lines: 4, refused, faults: [] })
  })
}

export function enqueue(nth: number, deliveries: NewDelivery[]): Act {
  return act(`enqueue ${nth} ${JSON.stringify(deliveries)}`, async ({ the: { storage, clock }, events }) => {
    const id = events[nth]
    if (id !== undefined) await storage.enqueue(id, due(deliveries, clock.now()))
  })
}

/** All that is due; entities may have their turn in any order. */
export function claimAll(queueKey: QueueKey): Act {
  return act(`claim ${queueKey.destination} ${queueKey.urgency}`, async (side) => {
    const { calls, wakeAt, ...rest } = await side.the.storage.claim(queueKey, ROOM, LEASE)
    for (const one of calls.flat()) side.claims.set(nameOfClaim(one, side), { ...one, at: side.the.clock.now() })
    const named = calls.map((call) =>
      sorted(
        call.map((one) => namedClaim(one, side)),
        ({ name }) => name,
      ),
    )
    // What is behind a claim may have its time, or none.
    const wakes = side.claims.size === 0 ? wakeAt : null
    return { calls: sorted(named, ([first]) => first?.name ?? ''), wakes, ...rest }
  })
}

function namedClaim(claim: Claim, side: Side) {
  const { fence: _, event, delivery, invalidated, ...said } = claim
  const { id: __, ...columns } = delivery
  const { id: ___, body, ...fields } = event
  return {
    name: nameOfClaim(claim, side),
    invalidated: nameOfEvent(side, invalidated),
    ...{ ...said, ...columns, event: { ...fields, body: Buffer.from(body).toString() } },
  }
}

function nameOfClaim({ event, delivery: { flow, part, destination } }: Claim, { events }: Side): string {
  return `${events.indexOf(event.id)}/${flow}/${part}/${destination}`
}

export function settleSome(them: [string, (now: Instant) => Outcome][], whenUnknown: 'repeat' | 'find' | 'hold'): Act {
  const named = them.map(([name, outcome]) => `${name}: ${outcome(0).type}`)
  return act(`settle ${whenUnknown} ${named.join(', ')}`, async ({ the, claims }) => {
    const now = the.clock.now()
    const results = them.flatMap(([name, outcome]) => {
      const one = claims.get(name)
      claims.delete(name)
      if (!one) return []
      const result = settlement(one, outcome(now), now, whenUnknown)
      return [{ ...result, attempt: { ...result.attempt, at: one.at } }]
    })
    return await the.storage.settle(results)
  })
}

export function giveBack(names: readonly string[]): Act {
  return act(`release ${names.join()}`, async ({ the, claims }) => {
    await the.storage.returnClaims(names.flatMap((name) => claims.get(name)?.fence ?? []))
    for (const name of names) claims.delete(name)
  })
}

export function pass(ms: number): Act {
  return act(`pass ${ms}`, async (side) => {
    await side.the.clock.pass(ms)
  })
}

export const reopen = act('reopen', async (side) => {
  side.claims.clear()
  await side.the.reopen()
})

/** An operator's command. */
export function command({ choose, may, below }: World, { events }: Side): Act {
  const destination = choose(DESTINATIONS)
  const other = destination === 'shop' ? 'bus' : 'shop'
  const dryRun = may(0.2)
  const again = may(0.5)
  const which = choose(['retry', 'retry', 'skip', 'releaseHeld', 'move'] as const)
  const nth = below(Math.max(1, events.length))
  const filter: DeliveryFilter = choose<DeliveryFilter>([
    { destination },
    { state: 'dead' },
    { state: 'held', destination },
    { flow: choose(FLOWS) },
    { entity: 'order:1' },
    { event: nth },
  ])
  const name = `${which} ${JSON.stringify(filter)}${dryRun ? ' dry' : ''}${again ? ' again' : ''} ${destination}`
  return act(name, async (side) => {
    const { storage, clock } = side.the
    const audit = by(clock.now(), dryRun)
    const meant = filter.event === undefined ? filter : { event: side.events[nth] ?? 0 }
    switch (which) {
      case 'retry':
        await storage.retry(meant, audit, again)
        return
      case 'move': {
        await storage.move(destination, other, audit)
        return
      }
      default:
        await storage[which](meant, audit)
    }
  })
}

export function dismiss(which: EventFilter): Act {
  return act(`dismiss ${JSON.stringify(which)}`, async ({ the: { storage, clock } }) => {
    await storage.dismiss(which, by(clock.now()))
  })
}

/** What the hub does with what is old. */
export function keep({ choose, below }: World): Act {
  const age = choose([0, 1_000, 3_600_000])
  const kind = choose(KINDS)
  const nth = below(60)
  return choose([
    act(`compress payloads ${age}`, ({ the: { storage, clock } }) =>
      compressAll(storage, clock.now() - age).then(() => {}),
    ),
    act('index', index),
    act(`drop payloads ${kind} ${nth}`, (side) => dropPayloads(side, kind, nth)),
    act(`drop events ${nth}`, (side) => dropEvents(side, nth)),
  ])
}

/** Each event can be found by what it says, and by a key of its own. */
async function index(side: Side): Promise<unknown> {
  const { the, events } = side
  const { storage } = the
  const fresh = await unindexed(side)
  const keys = fresh.flatMap(({ id, body }) => [
    { event: id, sort: 'order' as const, value: body === null ? randomUUID() : textOf(body) },
    { event: id, sort: 'receipt' as const, value: `R${events.indexOf(id)}` },
  ])
  const last = fresh.at(-1)
  if (last) await storage.indexKeys(last.id, keys)
  const sought = [
    { sort: 'order', value: '/1' },
    { sort: 'receipt', value: `R${events.length - 1}` },
  ] as const
  return (await storage.find(sought, 5)).map(({ key, event }) => [key, events.indexOf(event.id)])
}

/** All of them, once it is certain that none of a lower id can come: other work on the server may delay it. */
async function unindexed({ the: { storage } }: Side): Promise<Unindexed[]> {
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

async function dropPayloads({ the: { storage }, events }: Side, kind: string, nth: number): Promise<void> {
  const upTo = events[nth]
  if (upTo === undefined) return
  const { events: retained } = await storage.retained(upTo, 1_000)
  const stays = new Set(retained.map(({ event }) => event))
  const here = await storage.payloadKinds(0, 1_000)
  let left = here.filter((one) => one.kind === kind && one.id <= upTo && !stays.has(one.id)).map(({ id }) => id)
  while (left.length > 0) left = left.slice((await storage.dropPayloads(left)).seen)
}

async function dropEvents({ the: { storage }, events }: Side, nth: number): Promise<void> {
  const { events: retained } = await storage.retained(events[nth] ?? 0, 1_000)
  const stays = new Set(retained.map(({ event }) => event))
  let left = events.slice(0, nth + 1).filter((id) => !stays.has(id))
  while (left.length > 0) left = left.slice((await storage.dropEvents(left)).seen)
}
