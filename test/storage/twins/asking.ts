import type { Instant } from '../../../src/domain/values/instant.ts'
import type { Audit, DeliveryFilter, EventFilter, LegalHoldResult } from '../../../src/storage/rows.ts'
import { by, HOUR } from '../acting.ts'
import { pending } from '../arrivals.ts'
import { erase } from './erasing.ts'
import { withNames } from './look.ts'
import { type Act, nameOfEvent, sorted, type Twin } from './twin.ts'
import { DESTINATIONS, FACTS, FLOWS, KINDS, type World } from './world.ts'

/* What jobs and people ask besides lists and claims, and what they do besides the verbs: holds, what has had its time, payloads written anew. */

const MAX = 1_000

/** The next act of chance upon what is kept of events. */
export function drawRest({ choose, may, below }: World): Act {
  const nth = below(60)
  const age = choose([0, 1_000, HOUR])
  const queueKey = { destination: choose(DESTINATIONS), urgency: choose(['prompt', 'bulk'] as const) }
  const until = may(0.5) ? null : age
  return choose<Act>([
    act(`hold ${nth}`, ({ the: { storage, clock } }, id) => heldSo(storage.holdEvents([id], by(clock.now()))), nth),
    act(`unhold ${nth}`, ({ the: { storage, clock } }, id) => heldSo(storage.unholdEvents([id], by(clock.now()))), nth),
    { name: `drop attempts ${age}`, on: ({ the }) => dropAttempts(the, age) },
    act(`drop keys ${nth}`, dropKeys, nth),
    { name: `drop submissions ${age}`, on: ({ the }) => dropSubmissions(the, age) },
    act(`drop acknowledged ${nth}`, dropAcknowledged, nth),
    act(`write anew ${nth}`, ({ the: { storage } }, id) => writeAnew(storage, id), nth),
    act(`erase ${nth}`, ({ the: { storage } }, id) => storage.forgetEvents([id]), nth),
    act(`erase ${nth}`, erase, nth),
    act(
      `note ${nth}`,
      async ({ the: { storage, clock } }, id) => {
        const noted = await storage.noteAct({ ...deedOf(by(clock.now())), action: 'note' }, [id])
        await storage.extendAct(noted, 2, [id])
      },
      nth,
    ),
    {
      name: `pause ${queueKey.destination} ${queueKey.urgency} ${until}`,
      on: ({ the: { storage, clock } }) =>
        storage.pause(queueKey, { until: until === null ? null : clock.now() + until, why: 'so' }),
    },
    { name: 'resume all', on: resumeAll },
    { name: 'resume all', on: resumeAll },
    {
      name: 'look up',
      on: ({ the: { storage, clock } }) =>
        storage.noteLookup({ at: clock.now(), number: '1', found: ['shop'], missing: [], ms: 3 }),
    },
  ])
}

function act(name: string, on: (twin: Twin, id: number) => Promise<unknown>, nth: number): Act {
  return {
    name,
    async on(twin) {
      const id = twin.events[nth]
      return id === undefined ? null : tidy(await on(twin, id), twin)
    },
  }
}

async function heldSo(holding: Promise<LegalHoldResult>): Promise<unknown> {
  const { changed, missing, left } = await holding
  return [changed, missing.length, left.length]
}

function deedOf({ by: who, reason, at }: Audit) {
  return { at, by: who, reason, selection: '{}', changed: 0, refused: null }
}

async function resumeAll({ the: { storage } }: Twin): Promise<void> {
  for (const { queueKey } of await storage.paused()) await storage.resume(queueKey)
}

async function dropAttempts({ storage, clock }: Twin['the'], age: number): Promise<number> {
  let all = 0
  for (let after: number | null = 0; after !== null; ) {
    const aged = { before: clock.now() - age, now: clock.now() }
    const asked = { after, limit: 50, ...aged, kinds: { SaleCreated: clock.now() - 2 * age } }
    const { dropped, after: next } = await storage.dropAttempts(asked)
    all += dropped
    after = next
  }
  return all
}

async function dropSubmissions({ storage, clock }: Twin['the'], age: number): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const aged = { before: clock.now() - age, now: clock.now() }
    after = (await storage.dropSubmissions({ after, limit: 50, ...aged })).after
  }
}

async function dropKeys({ the: { storage } }: Twin, upTo: number): Promise<void> {
  for (let after: string | null = ''; after !== null; ) after = (await storage.dropKeys(after, upTo, 50)).after
  for (let gone = -1; gone !== 0; ) gone = await storage.dropKnown(upTo, 50)
}

async function dropAcknowledged({ the: { storage } }: Twin, upTo: number) {
  const { rows } = await storage.acknowledgedUpTo(upTo, null, MAX)
  return [rows, await storage.dropAcknowledged(rows, upTo)]
}

async function writeAnew(storage: Twin['the']['storage'], id: number): Promise<number> {
  return await storage.replacePayloads([{ id, body: Buffer.from('{"text":"anew"}') }])
}

const EVENTS: readonly EventFilter[] = [
  { state: 'unrouted' },
  { state: 'quarantined', dismissed: false },
  { conflict: true, dismissed: false },
  { reusedKey: true },
  { webhooks: true, kind: KINDS[0] },
  { entity: 'order:1' },
  { entities: ['order:1', 'order:2'] },
  { entity: 'customer:3', dismissed: true },
]

const DELIVERIES: readonly DeliveryFilter[] = [
  { state: 'dead' },
  { state: 'superseded', destination: 'shop' },
  { state: 'skipped', flows: ['book', 'tell'] },
  { kind: KINDS[1], state: 'delivered' },
  { entity: 'order:2' },
  { entity: 'customer:3', flow: 'publish' },
]

export async function ask(twin: Twin, { ends }: World) {
  const { the, events } = twin
  const { storage, clock } = the
  const now = clock.now()
  const said = {
    orders: await Promise.all(['1', '2'].map((number) => storage.order(number))),
    overdue: await storage.overdue(
      FLOWS.map((flow) => ({ flow, before: now })),
      MAX,
    ),
    pendingByFlow: await Promise.all(DESTINATIONS.map((destination) => storage.pendingByFlow({ destination }))),
    levels: await each((destination, flow) => storage.levelState(destination, flow, 'order:1')),
    arePending: await each((destination, flow) => storage.arePending(destination, [flow])),
    skipped: await storage.effectsOf('skipped', 'paid/'),
    delivered: await storage.effectsOf('delivered', 'paid/'),
    linksTo: await storage.linksTo([...DESTINATIONS], 'order', ['1000', '60000', '3600000', '1', '2']),
    given: await storage.givenPage([...DESTINATIONS], 0, MAX),
    bodies: (await storage.bodies(events)).map(({ id, body }) => ({ event: id, body: Buffer.from(body).toString() })),
    seen: [...(await storage.seen('platform', range(40, 'T-')))].sort(),
    known: await storage.known([
      ...range(40, 'T-').map((transportKey) => reported({ transportKey })),
      ...range(12, 'platform-').map((identity) => reported({ identity })),
    ]),
    before: (await storage.pendingBefore(FACTS.map((effect) => pending({ flow: 'publish', effect, said: 'x' })))).map(
      (event) => ({ event }),
    ),
    events: await Promise.all(EVENTS.map((filter) => storage.events({ ...filter, limit: MAX }))),
    looked: await Promise.all(EVENTS.map(async (filter) => (await storage.lookForEvents(filter, MAX)).rows)),
    deliveries: await Promise.all(DELIVERIES.map((filter) => storage.deliveries({ ...filter, limit: MAX }))),
    lookedFor: await Promise.all(DELIVERIES.map(async (filter) => (await storage.lookForDeliveries(filter, MAX)).rows)),
    holds: await storage.legalHolds(0, MAX),
    ageing: await storage.ageing(0, MAX),
    next: await storage.nextReceived(0),
    acts: (await storage.acts({ limit: MAX })).map(({ selection: _, ...row }) => row),
    paused: (await storage.paused()).map(({ queueKey, ...pause }) => ({ ...pause, ...queueKey })),
  }
  const acknowledged = await storage.personalPage({
    place: 'acknowledged',
    containing: ['order', 'customer', 's0', 's1'],
    after: 0,
  })
  // Where hubs end, one of the stores does not know the digests of some any more.
  const values = acknowledged.rows.map((row) => row.values.slice(0, ends ? 3 : 4))
  return { ...(tidy(said, twin) as object), acknowledged: sorted(values, String) }

  async function each(one: (destination: string, flow: string) => Promise<unknown>) {
    return await Promise.all(DESTINATIONS.flatMap((destination) => FLOWS.map((flow) => one(destination, flow))))
  }
}

function reported(given: { transportKey?: string; identity?: string }) {
  return { kind: KINDS[0], origin: 'platform', transportKey: null, identity: null, bodyHash: '', ...given }
}

function range(count: number, beginning: string): string[] {
  return Array.from({ length: count }, (_, n) => `${beginning}${n}`)
}

const OF_EVENTS = new Set(['event', 'conflictWith', 'sameKeyAs'])
const OWN = new Set(['id', 'delivery', 'act'])

/** What was said, without the ids that are a store's own. */
function tidy(value: unknown, twin: Twin): unknown {
  if (Array.isArray(value))
    return sorted(
      value.map((one) => tidy(one, twin)),
      (one) => JSON.stringify(one) ?? '',
    )
  if (typeof value !== 'object' || value === null) return value
  const isEvent = 'receivedAt' in value && !('flow' in value) && 'id' in value && !('system' in value)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if ((OF_EVENTS.has(key) || (key === 'id' && isEvent)) && typeof one === 'number')
        return [key, nameOfEvent(twin, one as Instant)]
      if (OWN.has(key)) return [key, null]
      if (key === 'state' && one === 'claimed') return [key, 'waiting']
      if (typeof one === 'string') return [key, withNames(one, twin)]
      return [key, tidy(one, twin)]
    }),
  )
}
