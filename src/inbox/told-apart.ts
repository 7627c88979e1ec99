import { perhapsBooked } from '../flows/booked-names.ts'
import type { Flow, Step } from '../flows/flow.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { Store } from '../store/store.ts'
import { plannedAgain } from './reroute.ts'

/** Steps as they are to be owed; a promise only where one may be of a fact that was booked before. */
export type ToldApart = (owed: Owed[]) => Owed[] | Promise<Owed[]>

interface Options {
  store: Pick<Store, 'owedBefore' | 'event'>
  flows: readonly Flow[]
  mappings: Mappings
}

/**
 * Where nobody tells what a number is unique in, what was booked under it may be another fact. One that says the same is the same. A step
 * that says something else, or of which nothing is left that could tell, is owed for a person to decide.
 */
export function createToldApart({ store, flows, mappings }: Options): ToldApart {
  return (owed) => (owed.some(isDoubted) ? apart(owed) : owed)

  async function apart(owed: Owed[]): Promise<Owed[]> {
    const asked = owed.filter(isDoubted)
    const before = await store.owedBefore(asked)
    const events = new Map(asked.map((step, n) => [step, before[n] ?? null]))
    return await Promise.all(owed.map((step) => one(step, events.get(step) ?? null)))
  }

  async function one(step: Owed, before: number | null): Promise<Owed> {
    if (before === null) return step
    const then = await bookedBy(before, step)
    return then?.said === step.said ? step : forPerson(step, before)
  }

  /** What an event has booked under that name; null: nobody can tell. */
  async function bookedBy(id: number, { flow: name, effect }: Owed): Promise<Step | null> {
    const event = await store.event(id)
    const flow = flows.find((one) => one.name === name)
    if (!event?.body || !flow) return null
    try {
      return flow.plan(plannedAgain(event, event.body, mappings)).find((one) => one.effect === effect) ?? null
    } catch {
      return null
    }
  }
}

/** The money of orders is not owed twice, whatever a payload says: there the number counts. */
function isDoubted({ once, said }: Owed): boolean {
  return once && said !== undefined
}

/** A step that a person decides about, under a name of its own: the other event has the one that it would have. It stands in nobody's way. */
function forPerson({ effect, said, ...step }: Owed, before: number): Owed {
  return { ...step, part: perhapsBooked(before), entity: null, effect: `${effect}/${said}` }
}
