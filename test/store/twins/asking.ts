import type { Instant } from '../../../src/domain/values/instant.ts'
import type { Audit, DeliveryFilter, EventFilter, Held } from '../../../src/store/screens.ts'
import { by, HOUR } from '../acting.ts'
import { owed } from '../arrivals.ts'
import { erase } from './erasing.ts'
import { withNames } from './look.ts'
import { type Act, nameOfEvent, sorted, type Twin } from './twin.ts'
import { DESTINATIONS, FACTS, FLOWS, KINDS, type World } from './world.ts'

/* What jobs and people ask besides lists and claims, and what they do besides the verbs: holds, what has had its time, payloads written anew. */

const MOST = 1_000

/** The next act of chance upon what is kept of events. */
export function drawRest({ choose, may, below }: World): Act {
  const nth = below(60)
  const age = choose([0, 1_000, HOUR])
  const lane = { destination: choose(DESTINATIONS), urgency: choose(['prompt', 'bulk'] as const) }
  const until = may(0.5) ? null : age
  return choose<Act>([
    act(`hold ${nth}`, ({ the: { store, clock } }, id) => heldSo(store.holdEvents([id], by(clock.now()))), nth),
    act(`unhold ${nth}`, ({ the: { store, clock } }, id) => heldSo(store.unholdEvents([id], by(clock.now()))), nth),
    { name: `drop attempts ${age}`, on: ({ the }) => dropAttempts(the, age) },
    act(`drop keys ${nth}`, dropKeys, nth),
    { name: `drop submissions ${age}`, on: ({ the }) => dropSubmissions(the, age) },
    act(`drop acknowledged ${nth}`, dropAcknowledged, nth),
    act(`write anew ${nth}`, ({ the: { store } }, id) => writeAnew(store, id), nth),
    act(`forget ${nth}`, ({ the: { store } }, id) => store.forgetEvents([id]), nth),
    act(`erase ${nth}`, erase, nth),
    act(
      `note ${nth}`,
      async ({ the: { store, clock } }, id) => {
        const noted = await store.noteAct({ ...deedOf(by(clock.now())), action: 'note' }, [id])
        await store.extendAct(noted, 2, [id])
      },
      nth,
    ),
    {
      name: `pause ${lane.destination} ${lane.urgency} ${until}`,
      on: ({ the: { store, clock } }) =>
        store.pause(lane, { until: until === null ? null : clock.now() + until, why: 'so' }),
    },
    { name: 'resume all', on: resumeAll },
    { name: 'resume all', on: resumeAll },
    {
      name: 'look up',
      on: ({ the: { store, clock } }) =>
        store.noteLookup({ at: clock.now(), number: '1', found: ['shop'], missing: [], ms: 3 }),
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

async function heldSo(holding: Promise<Held>): Promise<unknown> {
  const { changed, missing, left } = await holding
  return [changed, missing.length, left.length]
}

function deedOf({ by: who, reason, at }: Audit) {
  return { at, by: who, reason, selection: '{}', changed: 0, refused: null }
}

async function resumeAll({ the: { store } }: Twin): Promise<void> {
  for (const { lane } of await store.paused()) await store.resume(lane)
}

async function dropAttempts({ store, clock }: Twin['the'], age: number): Promise<number> {
  let all = 0
  for (let after: number | null = 0; after !== null; ) {
    const aged = { before: clock.now() - age, now: clock.now() }
    const asked = { after, limit: 50, ...aged, kinds: { SaleCreated: clock.now() - 2 * age } }
    const { dropped, after: next } = await store.dropAttempts(asked)
    all += dropped
    after = next
  }
  return all
}

async function dropSubmissions({ store, clock }: Twin['the'], age: number): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const aged = { before: clock.now() - age, now: clock.now() }
    after = (await store.dropSubmissions({ after, limit: 50, ...aged })).after
  }
}

async function dropKeys({ the: { store } }: Twin, upTo: number): Promise<void> {
  for (let after: string | null = ''; after !== null; ) after = (await store.dropKeys(after, upTo, 50)).after
  for (let gone = -1; gone !== 0; ) gone = await store.dropKnown(upTo, 50)
}

async function dropAcknowledged({ the: { store } }: Twin, upTo: number) {
  const { rows } = await store.acknowledgedUpTo(upTo, null, MOST)
  return [rows, await store.dropAcknowledged(rows, upTo)]
}

async function writeAnew(store: Twin['the']['store'], id: number): Promise<number> {
  return await store.replacePayloads([{ id, body: Buffer.from('{"text":"anew"}') }])
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
  const { store, clock } = the
  const now = clock.now()
  const said = {
    orders: await Promise.all(['1', '2'].map((number) => store.order(number))),
    overdue: await store.overdue(
      FLOWS.map((flow) => ({ flow, before: now })),
      MOST,
    ),
    owedByFlow: await Promise.all(DESTINATIONS.map((destination) => store.owedByFlow({ destination }))),
    levels: await each((destination, flow) => store.levelStanding(destination, flow, 'order:1')),
    areOwed: await each((destination, flow) => store.areOwed(destination, [flow])),
    skipped: await store.effectsOf('skipped', 'paid/'),
    delivered: await store.effectsOf('delivered', 'paid/'),
    linksTo: await store.linksTo([...DESTINATIONS], 'order', ['1000', '60000', '3600000', '1', '2']),
    given: await store.givenPage([...DESTINATIONS], 0, MOST),
    bodies: (await store.bodies(events)).map(({ id, body }) => ({ event: id, body: Buffer.from(body).toString() })),
    seen: [...(await store.seen('platform', range(40, 'T-')))].sort(),
    known: await store.known([
      ...range(40, 'T-').map((transportKey) => told({ transportKey })),
      ...range(12, 'platform-').map((identity) => told({ identity })),
    ]),
    before: (await store.owedBefore(FACTS.map((effect) => owed({ flow: 'publish', effect, said: 'x' })))).map(
      (event) => ({ event }),
    ),
    events: await Promise.all(EVENTS.map((filter) => store.events({ ...filter, limit: MOST }))),
    looked: await Promise.all(EVENTS.map(async (filter) => (await store.lookForEvents(filter, MOST)).rows)),
    deliveries: await Promise.all(DELIVERIES.map((filter) => store.deliveries({ ...filter, limit: MOST }))),
    lookedFor: await Promise.all(DELIVERIES.map(async (filter) => (await store.lookForDeliveries(filter, MOST)).rows)),
    holds: await store.legalHolds(0, MOST),
    ageing: await store.ageing(0, MOST),
    next: await store.nextReceived(0),
    acts: (await store.acts({ limit: MOST })).map(({ selection: _, ...row }) => row),
    paused: (await store.paused()).map(({ lane, ...pause }) => ({ ...pause, ...lane })),
  }
  const acknowledged = await store.personalPage({
    place: 'acknowledged',
    saying: ['order', 'customer', 's0', 's1'],
    after: 0,
  })
  // Where hubs end, one of the stores does not know the digests of some any more.
  const values = acknowledged.rows.map((row) => row.values.slice(0, ends ? 3 : 4))
  return { ...(tidy(said, twin) as object), acknowledged: sorted(values, String) }

  async function each(one: (destination: string, flow: string) => Promise<unknown>) {
    return await Promise.all(DESTINATIONS.flatMap((destination) => FLOWS.map((flow) => one(destination, flow))))
  }
}

function told(given: { transportKey?: string; identity?: string }) {
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
