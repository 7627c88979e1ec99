import type { Event } from '../../../domain/queue/event.ts'
import type { Instant } from '../../../domain/values/instant.ts'
import { type ClaimedDelivery, NEVER_TRIED } from '../../claim.ts'
import { isCompared, type Owed } from '../../owed.ts'
import type { LoadedItem } from './loaded-item.ts'

/** An open delivery in memory. */
export interface Item {
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** The body; null while it waits long, or for all the others: it is read again for the claim. */
  body: Uint8Array | null
  size: number
  dueAt: Instant
  /** `gone`: a newer one came, so it is not made; whoever meets it leaves it alone. */
  state: 'waiting' | 'claimed' | 'held' | 'gone'
  /** The delivery has a digest or a version: see `acknowledged` in schema.ts. */
  digested: boolean
  /** Facts may overtake it. */
  guarded: boolean
  /** An own system submitted its event, which no fuller body ever completes. */
  own: boolean
  /** The delivery lets the others of its lane go first, as long as none that does not waits behind it. */
  yields: boolean
  /** The item's place among all of the lane that became due, and when it did; 0 before. */
  turn: number
  readyAt: Instant
  /** When it became due, it went behind all that do not yield. */
  goesLast: boolean
  /** The item waits for its time. */
  waitsForTime: boolean
  /** The clock has not been put back since an attempt said when it is due. */
  isTimed: boolean
}

/** The place of an item that is new: it has none yet. */
const UNPLACED = { turn: 0, readyAt: 0, goesLast: false, waitsForTime: false, isTimed: false }

/** An item that was read from the file. */
export function itemOfRow({ body, ...loaded }: LoadedItem): Item {
  const kept = loaded.state === 'held' || loaded.yields ? null : body
  return { ...loaded, body: kept, ...UNPLACED }
}

/** An item that was just owed. */
export function itemOfStep(id: number, step: Owed, event: Item['event'], body: Uint8Array, own: boolean): Item {
  const { flow, part, destination, urgency, entity, batch, once, effect = null, yields = false, released = null } = step
  return {
    delivery: { id, flow, part, destination, urgency, entity, batch, once, effect, released, ...NEVER_TRIED },
    event,
    body: yields ? null : body,
    size: body.byteLength,
    dueAt: step.notBefore ?? event.receivedAt,
    state: 'waiting',
    digested: isCompared(step),
    guarded: step.unless !== undefined && step.unless.length > 0,
    own,
    yields,
    ...UNPLACED,
  }
}
