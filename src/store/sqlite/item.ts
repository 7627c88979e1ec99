import type { Event } from '../../domain/event.ts'
import type { Instant } from '../../domain/instant.ts'
import { isCompared } from '../newest.ts'
import type { ClaimedDelivery, Owed } from '../store.ts'
import type { LoadedItem } from './delivering.ts'

/** An open delivery in memory. */
export interface Item {
  delivery: ClaimedDelivery
  event: Omit<Event, 'body'>
  /** Null while it waits long: it is read again for the claim. */
  body: Uint8Array | null
  size: number
  dueAt: Instant
  /** `gone`: a newer one came, so it is not made; whoever meets it leaves it alone. */
  state: 'waiting' | 'claimed' | 'held' | 'gone'
  /** It has a digest or a version: see `acknowledged` in schema.ts. */
  digested: boolean
  /** Facts may overtake it. */
  guarded: boolean
  /** An own system submitted its event, which no fuller body ever completes. */
  own: boolean
  /** Its place among all of the lane that became due, and when it did; nothing before. */
  turn: number
  readyAt: Instant
}

/** One that was read from the file. */
export function itemOfRow({ body, ...loaded }: LoadedItem): Item {
  const kept = loaded.state === 'held' ? null : body
  return { ...loaded, body: kept, size: body?.byteLength ?? 0, turn: 0, readyAt: 0 }
}

/** One that was just owed. */
export function itemOfStep(id: number, step: Owed, event: Item['event'], body: Uint8Array, own: boolean): Item {
  const { flow, part, destination, urgency, entity, batch, once, effect = null } = step
  const fresh = { tries: 0, finds: 0, failingSince: null, firstTriedAt: null, open: false, released: null }
  return {
    delivery: { id, flow, part, destination, urgency, entity, batch, once, effect, ...fresh },
    event,
    body,
    size: body.byteLength,
    dueAt: step.notBefore ?? event.receivedAt,
    state: 'waiting',
    digested: isCompared(step),
    guarded: step.unless !== undefined && step.unless.length > 0,
    own,
    turn: 0,
    readyAt: 0,
  }
}
