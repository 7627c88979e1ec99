import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import type { Instant } from '../../../src/domain/values/instant.ts'
import type { Arrival, NewDelivery } from '../../../src/storage/arrival.ts'
import { chance } from '../../chance.ts'
import { HOUR, MINUTE, SECOND } from '../acting.ts'
import { pending } from '../arrivals.ts'

export interface World {
  choose<T>(of: readonly T[]): T
  may(share: number): boolean
  below(most: number): number
}

export const ENTITIES = ['order:1', 'order:2', 'customer:3', null] as const
export const DESTINATIONS = ['shop', 'bus'] as const
const URGENCIES = ['prompt', 'bulk'] as const
export const FLOWS = ['publish', 'book', 'tell'] as const
export const KINDS = ['InvoiceCreated', 'SaleCreated', 'StockMoved'] as const
const FACTS = ['paid/1', 'paid/2', 'sent/1'] as const
export const QUEUES: readonly QueueKey[] = DESTINATIONS.flatMap((destination) =>
  URGENCIES.map((urgency) => ({ destination, urgency })),
)
export const LINKED = ['o0', 'o1', 'o2', 'o1000', 'o60000', 'o3600000']

export function worldOf(seed: number): World {
  const random = chance(seed)
  for (let n = 0; n < 10; n++) random()
  const below = (most: number) => Math.floor(random() * most)
  return { choose: (of) => of[below(of.length)] as never, may: (share) => random() < share, below }
}

/** What arrives; each storage makes an arrival of it at its own time. */
export interface Sketch extends Omit<Partial<Arrival>, 'receivedAt'> {
  text: string
  /** It says more than the event that it is a copy of. */
  isRicher: boolean
}

export function arrivalOf(world: World): Sketch {
  const { choose, may, below } = world
  const entity = choose(ENTITIES)
  const origin = may(0.85) ? 'platform' : 'erp'
  // The kinds of own systems are theirs alone.
  const identity = may(0.6) ? `${origin}-${below(12)}` : null
  const versioned = may(0.5)
  const line = { resource: 'orders', key: `k${below(3)}`, line: 1 + below(4) }
  return {
    isRicher: may(0.5),
    text: `${identity ?? ''}/${below(4)}`,
    kind: choose(KINDS),
    origin,
    ...(origin === 'erp' && may(0.7) && { submission: line }),
    subscription: may(0.8) ? 'all' : '14',
    transportKey: may(0.5) ? `T-${below(40)}` : null,
    identity,
    versioned,
    ...(versioned && may(0.3) && { repeatable: true as const }),
    exact: origin === 'erp',
    facts: may(0.3) ? [String(below(2)), null, null] : null,
    problem: may(0.05) ? 'no JSON' : null,
    entity,
    deliveries: eachStepOnce(Array.from({ length: below(4) }, () => pendingOf(world, entity, choose(DESTINATIONS)))),
    ...(may(0.1) && { quiet: true }),
    ...(may(0.15) && { proves: [choose(FACTS)] }),
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

function eachStepOnce(pending: readonly NewDelivery[]): NewDelivery[] {
  return [...new Map(pending.map((one) => [`${one.flow}/${one.part}/${one.destination}`, one])).values()]
}

/** `notBefore` is so much later than now (`due`). */
export function pendingOf({ choose, may, below }: World, entity: string | null, destination: string): NewDelivery {
  const once = may(0.3)
  // No flow has both: what is owed once is never outdone.
  const latestWins = !once && may(0.3)
  // Without any, the event is the version: its id is above all that are said here.
  const isSaid = !latestWins || may(0.4)
  return pending({
    flow: choose(FLOWS),
    part: may(0.3) ? String(below(2)) : '',
    destination,
    urgency: choose(URGENCIES),
    entity: may(0.8) ? entity : null,
    once,
    ...(once && may(0.3) && { each: true }),
    batch: may(0.15) ? 'lines' : null,
    latestWins,
    digest: may(0.3) ? `d${below(2)}` : null,
    ...(isSaid && { version: may(0.3) ? below(5) - 5 : null }),
    ...(may(0.2) && { subject: `s${below(2)}` }),
    ...(may(0.3) && { effect: choose(FACTS) }),
    ...(may(0.1) && { keyByNumber: choose(FACTS) }),
    ...(may(0.2) && { unless: [choose(FACTS)] }),
    force: may(0.1),
    ...(may(0.1) && { notBefore: choose([-HOUR, SECOND, HOUR]) }),
    ...(may(0.2) && { yields: true }),
  })
}

export function due(pending: readonly NewDelivery[], now: Instant): NewDelivery[] {
  return pending.map((one) => (one.notBefore === null ? one : { ...one, notBefore: now + one.notBefore }))
}

export function outcomeOf({ choose, below }: World): (now: Instant) => Outcome {
  const why = { code: `c${below(3)}`, why: 'for a reason' }
  const until = choose([SECOND, MINUTE, HOUR])
  const link = { kind: 'order' as const, id: `o${until}`, destination: 'shop', theirId: `${until}` }
  const delivered = (): Outcome => ({ type: 'delivered', links: [link], note: null })
  return choose<(now: Instant) => Outcome>([
    ...Array(3).fill(delivered),
    () => ({ type: 'superseded', ...why }),
    () => ({ type: 'retry', scope: 'item', notBefore: null, ...why }),
    () => ({ type: 'retry', scope: 'destination', notBefore: null, ...why }),
    () => ({ type: 'dead', ...why }),
    (now) => ({ type: 'wait', until: now + until, ...why }),
    () => ({ type: 'held', ...why }),
    () => ({ type: 'unknown', ...why }),
  ])
}
