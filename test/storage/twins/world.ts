import type { QueueKey } from '../../../src/domain/queue/queue-key.ts'
import type { NewDelivery } from '../../../src/storage/arrival.ts'
import { chance } from '../../chance.ts'
import { DAY, HOUR, LEASE, MINUTE, PLENTY, SECOND } from '../acting.ts'
import { pending } from '../arrivals.ts'

type Choose = <T>(of: readonly T[]) => T

export interface World {
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

export const ENTITIES = ['order:1', 'order:2', 'customer:3', null] as const
export const DESTINATIONS = ['shop', 'bus'] as const
const URGENCIES = ['prompt', 'bulk'] as const
export const FLOWS = ['publish', 'book', 'tell'] as const
export const KINDS = ['InvoiceCreated', 'SaleCreated', 'StockMoved'] as const
export const FACTS = ['paid/1', 'paid/2', 'sent/1'] as const
export const LANES: readonly QueueKey[] = DESTINATIONS.flatMap((destination) =>
  URGENCIES.map((urgency) => ({ destination, urgency })),
)
/** No batch waits for more: how long one gathers, each store counts in its own way. */
export const ROOM = { ...PLENTY, batch: { ...PLENTY.batch, linger: 0 } }

export const LINKED = ['o0', 'o1', 'o2', 'o1000', 'o60000', 'o3600000']
export const PAUSES = [0, 1, 900, SECOND, 20 * SECOND, LEASE + 1, MINUTE, HOUR, 7 * HOUR, DAY + 1, 3 * DAY]

export function worldOf(seed: number): World {
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

/** A delivery to be; `notBefore` is so much later than now (`due`). */
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

export function due(pending: NewDelivery, now: number): NewDelivery {
  return pending.notBefore === null ? pending : { ...pending, notBefore: now + pending.notBefore }
}
