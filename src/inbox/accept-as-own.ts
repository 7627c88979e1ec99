import { payloadOf } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { evaluate } from '../lib/jsonata.ts'
import { kindOf } from '../payloads/kinds.ts'
import { type Mappings, mapped } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { EventDetail } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { misfitOfSteps } from './names-that-fit.ts'
import { plannedAgain } from './reroute.ts'
import type { Route } from './route.ts'

/** An event in conflict that an operator accepts as one of its own, or would. */
export interface Accepted {
  event: number
  /** The event that has its identity; 0: one that is not remembered any more. */
  conflictWith: number
  /** What it is worth, and what the other one is, as their kinds compare them; null: they do not say. */
  amount: string | null
  other: string | null
  /** Deliveries that it owes now; of a dry run: at most. */
  deliveries: number
}

interface Tools {
  store: Pick<Store, 'event' | 'owe'>
  route: Route
  mappings: Mappings
}

/**
 * Plans an event that is in conflict as what happened besides the event that it contradicts: two receipts may have one number. What it
 * brings about has a name of its own, so that it is brought about once, however often this is asked. `act` null: it only counts. Null: there
 * is no such event. Throws a UserError for one that contradicts nothing, was decided on, or whose payload is gone.
 */
export async function acceptAsOwn(
  { store, route, mappings }: Tools,
  id: number,
  act: number | null,
): Promise<Accepted | null> {
  const event = await store.event(id)
  if (!event) return null
  const { conflictWith, dismissedBy, body } = event
  if (conflictWith === null) throw new UserError(`event ${id} contradicts nothing: there is nothing to accept`)
  if (dismissedBy !== null)
    throw new UserError(`event ${id} was decided on by ${dismissedBy}: ${event.dismissedBecause}`)
  if (body === null) throw new UserError(`the payload of event ${id} is not kept any more: it cannot be accepted`)
  const steps = route(plannedAgain(event, body, mappings))
  const misfit = misfitOfSteps(steps)
  if (misfit !== null) throw new UserError(`event ${id} cannot be accepted: ${misfit}`)
  const owed = conflictWith === NOT_REMEMBERED ? steps : steps.map((step) => ofItsOwn(step, id))
  const first = conflictWith === NOT_REMEMBERED ? null : await store.event(conflictWith)
  return {
    event: id,
    conflictWith,
    amount: amountOf(event, mappings),
    other: first && amountOf(first, mappings),
    deliveries: act === null ? owed.length : await store.owe(id, owed, act),
  }
}

/** In place of the event that another one contradicts: one that is not remembered any more, if it ever came. */
const NOT_REMEMBERED = 0

/** What a step brings about, named as that of this event alone. */
function ofItsOwn(step: Owed, id: number): Owed {
  const { said: _, ...rest } = step
  return { ...rest, effect: step.effect == null ? null : `${step.effect}/own-${id}`, effectOfNumber: null }
}

/** What an event is worth, by what its kind compares; null: its kind compares no amounts, or nothing of it is kept. */
function amountOf(event: EventDetail, mappings: Mappings): string | null {
  const { kind, origin, body } = event
  if (body === null) return null
  try {
    return kindOf(kind)?.identity?.(mapped(event, payloadOf({ body }), mappings, evaluate), origin)?.facts?.[0] ?? null
  } catch {
    return null
  }
}
