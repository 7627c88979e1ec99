import { expect } from 'vitest'
import type { Lane } from '../../src/domain/queue/lane.ts'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import type { Instant } from '../../src/domain/values/instant.ts'
import type { Arrival, Verdict } from '../../src/store/arrival.ts'
import type { Claim } from '../../src/store/claim.ts'
import type { Owed } from '../../src/store/owed.ts'
import type { DeliveryFilter, DeliveryRow, EventFilter, EventRow } from '../../src/store/screens.ts'
import { chance } from '../chance.ts'
import { by, DAY, FAILED, HOUR, LEASE, MINUTE, PLENTY, SECOND, settlement } from './acting.ts'
import { createArrivals, owed } from './arrivals.ts'
import type { StoreUnderTest } from './under-test.ts'

/** One of two stores that are told the same. */
interface Twin {
  the: StoreUnderTest
  /** The events by the order in which they were first told of. */
  events: number[]
  /** What was claimed and not settled, by name, and when. */
  claims: Map<string, Claimed>
}

type Claimed = Claim & { at: Instant }

/** What is done to both: what it says is the same of both. */
interface Act {
  name: string
  on(twin: Twin): Promise<unknown>
}

type Choose = <T>(of: readonly T[]) => T

/** What chance has to choose from. */
interface World {
  choose: Choose
  may(share: number): boolean
  below(most: number): number
  /**
   * Deliveries are moved: those of one event have one destination then. Where they come together later, those of one event and entity
   * have no order that all stores keep.
   */
  moves: boolean
  /**
   * Hubs end: after that, one of the stores takes nothing for acknowledged of which something else waits, and looks what was proven of
   * what a person has tried again. Nothing is proven then.
   */
  ends: boolean
}

const ENTITIES = ['order:1', 'order:2', 'customer:3', null] as const
const DESTINATIONS = ['shop', 'bus'] as const
const URGENCIES = ['prompt', 'bulk'] as const
const FLOWS = ['publish', 'book', 'tell'] as const
const KINDS = ['InvoiceCreated', 'SaleCreated', 'StockMoved'] as const
const FACTS = ['paid/1', 'paid/2', 'sent/1'] as const
const LANES: readonly Lane[] = DESTINATIONS.flatMap((destination) =>
  URGENCIES.map((urgency) => ({ destination, urgency })),
)
/** No batch waits for more: how long one gathers, each store counts in its own way. */
const ROOM = { ...PLENTY, batch: { ...PLENTY.batch, linger: 0 } }

const LINKED = ['o0', 'o1', 'o2', 'o1000', 'o60000', 'o3600000']
const PAUSES = [0, 1, 900, SECOND, 20 * SECOND, LEASE + 1, MINUTE, HOUR, 7 * HOUR, DAY + 1, 3 * DAY]

/** Tells two stores the same acts of chance; where they say something else, it rejects with what was done before. */
export async function playTwins(stores: readonly StoreUnderTest[], seed: number, acts: number): Promise<void> {
  const world = worldOf(seed)
  const twins = stores.map((the): Twin => ({ the, events: [], claims: new Map() }))
  const [first] = twins
  if (!first) return
  const told: string[] = []
  for (let n = 0; n < acts; n++) {
    const act = draw(world, first)
    told.push(act.name)
    const said = []
    for (const twin of twins) said.push(await act.on(twin).catch((error: unknown) => `rejected: ${error}`))
    const story = () => `seed ${seed}:\n${told.slice(-60).join('\n')}`
    for (const other of said.slice(1)) expect(other, story()).toEqual(said[0])
    // As workers do, each lane looks at what is new at once.
    for (const { the } of twins) for (const lane of LANES) await the.store.claim(lane, { ...ROOM, calls: 0 }, LEASE)
    if (n % 5 > 0) continue
    const seen = []
    for (const twin of twins) seen.push(await look(twin))
    for (const other of seen.slice(1)) expect(other, story()).toEqual(seen[0])
  }
}

function worldOf(seed: number): World {
  const random = chance(seed)
  for (let n = 0; n < 10; n++) random()
  const below = (most: number) => Math.floor(random() * most)
  return {
    choose: (of) => of[below(of.length)] as never,
    may: (share) => random() < share,
    below,
    moves: seed % 2 === 0,
    ends: seed % 3 === 0,
  }
}

function draw(world: World, first: Twin): Act {
  const { choose, may, below } = world
  const nth = below(100)
  if (nth < 30) return accept(Array.from({ length: 1 + below(3) }, () => arrivalOf(world)))
  if (nth < 52) return claimAll(choose(LANES), world)
  if (nth < 76) {
    const share = choose([0.4, 0.8, 1])
    const names = [...first.claims.keys()].filter(() => may(share))
    const outcomes = names.map((name): [string, (now: Instant) => Outcome] => [name, outcomeOf(world)])
    return settleSome(outcomes, may(0.3) ? 'repeat' : may(0.3) ? 'find' : 'hold')
  }
  if (nth < 79) return giveBack([...first.claims.keys()].filter(() => may(0.5)))
  if (nth < 86) return pass(choose(PAUSES))
  if (nth < 87 && world.ends) return reopen
  if (nth < 90)
    return owe(below(Math.max(1, first.events.length)), [owedOf(world, choose(ENTITIES), choose(DESTINATIONS))])
  if (nth < 98) return verb(world, first)
  return dismiss(choose([{ state: 'unrouted' }, { state: 'quarantined' }, { conflict: true }]))
}

interface Sketch extends Omit<Partial<Arrival>, 'receivedAt'> {
  text: string
}

function arrivalOf(world: World): Sketch {
  const { choose, may, below, moves, ends } = world
  const only = choose(DESTINATIONS)
  const entity = choose(ENTITIES)
  const identity = may(0.6) ? `id-${below(12)}` : null
  const versioned = may(0.5)
  return {
    text: `${identity ?? ''}/${below(4)}`,
    kind: choose(KINDS),
    origin: may(0.9) ? 'platform' : 'erp',
    subscription: may(0.8) ? 'all' : '14',
    transportKey: may(0.5) ? `T-${below(40)}` : null,
    identity,
    versioned,
    ...(versioned && may(0.3) && { repeatable: true as const }),
    exact: may(0.1),
    facts: may(0.3) ? [String(below(2)), null, null] : null,
    problem: may(0.05) ? 'no JSON' : null,
    entity,
    deliveries: eachStepOnce(
      Array.from({ length: below(4) }, () => owedOf(world, entity, moves ? only : choose(DESTINATIONS))),
    ),
    ...(may(0.1) && { quiet: true }),
    ...(may(0.15) && !ends && { proves: [choose(FACTS)] }),
    ...(may(0.1) && {
      acknowledges: [
        { destination: choose(DESTINATIONS), flow: choose(FLOWS), subject: String(entity), digest: `d${below(2)}` },
      ],
    }),
    ...(may(0.1) && {
      links: [{ kind: 'order', id: `o${below(3)}`, destination: choose(DESTINATIONS), theirId: `${below(9)}` }],
    }),
  }
}

function eachStepOnce(owed: readonly Owed[]): Owed[] {
  return [...new Map(owed.map((one) => [`${one.flow}/${one.part}/${one.destination}`, one])).values()]
}

function owedOf({ choose, may, below }: World, entity: string | null, destination: string): Owed {
  const once = may(0.3)
  return owed({
    flow: choose(FLOWS),
    part: may(0.3) ? String(below(2)) : '',
    destination,
    urgency: choose(URGENCIES),
    entity: may(0.8) ? entity : null,
    once,
    ...(once && may(0.3) && { each: true }),
    batch: may(0.15) ? 'lines' : null,
    // No flow has both: what is owed once is never outdone.
    latestWins: !once && may(0.3),
    digest: may(0.3) ? `d${below(2)}` : null,
    version: may(0.3) ? below(5) : null,
    ...(may(0.2) && { subject: `s${below(2)}` }),
    ...(may(0.3) && { effect: choose(FACTS) }),
    ...(may(0.1) && { effectOfNumber: choose(FACTS) }),
    ...(may(0.2) && { unless: [choose(FACTS)] }),
    force: may(0.1),
    ...(may(0.2) && { yields: true }),
  })
}

function accept(sketches: readonly Sketch[]): Act {
  return {
    name: `accept ${JSON.stringify(sketches)}`,
    async on({ the, events }) {
      const { arrival } = createArrivals(the.clock)
      const verdicts = await the.store.accept(
        sketches.map(({ text, ...given }) => arrival({ ...given, payload: { text } })),
      )
      for (const { status, id } of verdicts) if (status !== 'duplicate') events.push(id)
      return verdicts.map((verdict) => namedVerdict(verdict, events))
    },
  }
}

/** `comparable` is a first look alone: whoever completes an event looks again. */
function namedVerdict({ comparable: _, ...verdict }: Verdict & { comparable?: true }, events: number[]) {
  const name = (id: number | null) => (id === null ? null : events.indexOf(id))
  return {
    ...verdict,
    id: name(verdict.id),
    ...('with' in verdict && { with: name(verdict.with) }),
    ...('sameKeyAs' in verdict && { sameKeyAs: name(verdict.sameKeyAs) }),
  }
}

/** All that is due: in which order entities have their turn is a store's own affair. */
function claimAll(lane: Lane, { ends }: World): Act {
  return {
    name: `claim ${lane.destination} ${lane.urgency}`,
    async on(twin) {
      const { calls, wakeAt, ...rest } = await twin.the.store.claim(lane, ROOM, LEASE)
      for (const one of calls.flat()) twin.claims.set(nameOfClaim(one, twin), { ...one, at: twin.the.clock.now() })
      const named = calls.map((call) =>
        sorted(
          call.map((one) => namedClaim(one, twin, ends)),
          ({ name }) => name,
        ),
      )
      // What is behind a claim may have its time, or none.
      return {
        calls: sorted(named, ([first]) => first?.name ?? ''),
        wakeAt: twin.claims.size === 0 ? wakeAt : null,
        ...rest,
      }
    },
  }
}

function namedClaim(claim: Claim, twin: Twin, ends: boolean) {
  const { fence: _, event, delivery, overtaken, unchanged, ...said } = claim
  const { id: __, ...columns } = delivery
  const { id: ___, body, ...fields } = event
  return {
    name: nameOfClaim(claim, twin),
    overtaken: overtaken === null ? null : twin.events.indexOf(overtaken),
    unchanged: unchanged && !ends,
    ...{ ...said, ...columns, event: { ...fields, body: Buffer.from(body).toString() } },
  }
}

function sorted<T>(them: readonly T[], by: (one: T) => string): T[] {
  return [...them].sort((a, b) => (by(a) < by(b) ? -1 : 1))
}

function nameOfClaim({ event, delivery: { flow, part, destination } }: Claim, { events }: Twin): string {
  return `${events.indexOf(event.id)}/${flow}/${part}/${destination}`
}

function outcomeOf({ choose, below }: World): (now: Instant) => Outcome {
  const type = choose([
    'delivered',
    'delivered',
    'delivered',
    'superseded',
    'retry',
    'wide',
    'dead',
    'wait',
    'held',
    'unknown',
  ])
  const more = { code: `c${below(3)}`, why: 'for a reason' }
  const until = choose([SECOND, MINUTE, HOUR])
  return (now) => {
    switch (type) {
      case 'delivered':
        return {
          type,
          links: [{ kind: 'order', id: `o${until}`, destination: 'shop', theirId: `${until}` }],
          note: null,
        }
      case 'retry':
        return { type, scope: 'item', notBefore: null, ...more }
      case 'wide':
        return { type: 'retry', scope: 'destination', notBefore: null, ...more }
      case 'wait':
        return { type, until: now + until, ...more }
      case 'superseded':
      case 'dead':
      case 'held':
        return { type, ...more }
      default:
        return { type: 'unknown', ...more }
    }
  }
}

function settleSome(
  them: readonly [string, (now: Instant) => Outcome][],
  whenUnknown: 'repeat' | 'find' | 'hold',
): Act {
  return {
    name: `settle ${whenUnknown} ${them.map(([name, outcome]) => `${name}: ${outcome(0).type}`).join(', ')}`,
    async on({ the, claims }) {
      const now = the.clock.now()
      const results = them.flatMap(([name, outcome]) => {
        const one = claims.get(name)
        claims.delete(name)
        if (!one) return []
        const result = settlement(one, outcome(now), now, whenUnknown)
        return [{ ...result, attempt: { ...result.attempt, at: one.at } }]
      })
      return await the.store.settle(results)
    },
  }
}

function giveBack(names: readonly string[]): Act {
  return {
    name: `give back ${names.join()}`,
    async on({ the, claims }) {
      await the.store.returnClaims(names.flatMap((name) => claims.get(name)?.fence ?? []))
      for (const name of names) claims.delete(name)
    },
  }
}

function pass(ms: number): Act {
  return {
    name: `pass ${ms}`,
    async on(twin) {
      if (ms > LEASE / 10) await giveAllBack(twin)
      await twin.the.clock.pass(ms)
    },
  }
}

const reopen: Act = {
  name: 'reopen',
  async on(twin) {
    await giveAllBack(twin)
    await twin.the.reopen()
  },
}

/** What becomes of a claim whose lease is over, or whose hub is gone, is not the same: one of the stores has one hub. */
async function giveAllBack({ the, claims }: Twin): Promise<void> {
  await the.store.returnClaims([...claims.values()].map(({ fence }) => fence))
  claims.clear()
}

function owe(nth: number, deliveries: Owed[]): Act {
  return {
    name: `owe ${nth} ${JSON.stringify(deliveries)}`,
    on: async ({ the, events }) => (events[nth] === undefined ? 0 : await the.store.owe(events[nth], deliveries)),
  }
}

function verb({ choose, may, below, moves }: World, { events }: Twin): Act {
  const destination = choose(DESTINATIONS)
  const other = destination === 'shop' ? 'bus' : 'shop'
  const dryRun = may(0.2)
  const again = may(0.5)
  const which = choose(['retry', 'retry', 'skip', 'releaseHeld', moves ? 'move' : 'skip'] as const)
  const nth = below(Math.max(1, events.length))
  const filter: DeliveryFilter = choose<DeliveryFilter>([
    { destination },
    { state: 'dead' },
    { state: 'held', destination },
    { flow: choose(FLOWS) },
    { entity: 'order:1' },
    { event: nth },
  ])
  return {
    name: `${which} ${JSON.stringify(filter)}${dryRun ? ' dry' : ''}${again ? ' again' : ''} ${destination}`,
    async on(twin) {
      const { store, clock } = twin.the
      if (which === 'retry') await giveAllBack(twin)
      const audit = by(clock.now(), dryRun)
      const meant = filter.event === undefined ? filter : { event: twin.events[nth] ?? 0 }
      const changed =
        which === 'retry'
          ? await store.retry(meant, audit, again)
          : which === 'move'
            ? await store.move(destination, other, audit)
            : await store[which](meant, audit)
      const { matched, changed: count } = changed
      // What was moved while it was out comes back to another line: until then it stands before those that are there, or not.
      if (which === 'move' && again) await giveAllBack(twin)
      if (which === 'move' && !again)
        await settleSome(
          [...twin.claims.keys()].map((name) => [name, () => FAILED]),
          'hold',
        ).on(twin)
      return { matched, changed: count }
    },
  }
}

function dismiss(which: EventFilter): Act {
  return {
    name: `dismiss ${JSON.stringify(which)}`,
    async on({ the: { store, clock } }) {
      const { matched, changed } = await store.dismiss(which, by(clock.now()))
      return { matched, changed }
    },
  }
}

/** All that people see. What waits, and what is out, is one: a claim may be in memory alone. */
async function look({ the: { store }, events, claims }: Twin) {
  const name = (id: number | null) => (id === null ? null : events.indexOf(id))
  const row = ({ id: _, event, state, why, ...more }: DeliveryRow) => ({
    ...{ ...more, event: name(event), state: state === 'claimed' ? 'waiting' : state },
    why: why?.replace(/(?<=event )\d+/, (id) => String(name(Number(id)))) ?? null,
  })
  const one = ({ id, conflictWith, sameKeyAs, ...more }: EventRow) => ({
    ...{ ...more, id: name(id), conflictWith: name(conflictWith), sameKeyAs: name(sameKeyAs) },
  })
  const deliveries = (await store.deliveries({ limit: 10_000 })).map(row)
  const links = await Promise.all(DESTINATIONS.map((destination) => store.links(destination, 'order', LINKED)))
  return {
    deliveries: sorted(deliveries, ({ event, flow, part, destination }) =>
      JSON.stringify([event, flow, part, destination]),
    ),
    events: (await store.events({ limit: 10_000 })).map(one),
    status: claims.size === 0 ? await store.status() : null,
    owed: sorted(await store.owed(), ({ destination }) => destination),
    links: links.map((some) => sorted(some, (link) => JSON.stringify(link))),
  }
}
