import { perhapsBooked } from '../flows/booked-names.ts'
import type { Flow, Step } from '../flows/flow.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { Store } from '../store/store.ts'
import { plannedAgain } from './reroute.ts'

/** Steps as they are to be owed; a promise only where an earlier version may have owed them. */
export type ToldApart = (owed: Owed[]) => Owed[] | Promise<Owed[]>

interface Options {
  store: Pick<Store, 'owedBefore' | 'event'>
  flows: readonly Flow[]
  mappings: Mappings
}

/**
 * Earlier versions named facts of the books by a number that stores, terminals and part deliveries share. Whether what they have
 * booked is the same fact is told by its payload: today's name of it is this step's, or another. Where it says another, the
 * number counts for nothing; where nothing is left that could say it, the step is owed for a person to decide. So it is where one of
 * the same name says something else, and nobody tells what such numbers are unique in.
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
    const isSameName = then?.effect === step.effect
    if (isSameName && then?.said === (step.said ?? undefined)) return step
    const alone = { ...step, effectOfNumber: null }
    return then !== null && !isSameName ? alone : forPerson(alone, before)
  }

  /** What an event has booked, as it would be named today; null: nobody can tell. */
  async function bookedBy(id: number, { flow: name, effect, effectOfNumber }: Owed): Promise<Step | null> {
    const event = await store.event(id)
    const flow = flows.find((one) => one.name === name)
    if (!event?.body || !flow) return null
    try {
      const steps = flow.plan(plannedAgain(event, event.body, mappings))
      const ofNumber = steps.find((one) => one.effectOfNumber !== undefined && one.effectOfNumber === effectOfNumber)
      return steps.find((one) => one.effect === effect) ?? ofNumber ?? null
    } catch {
      return null
    }
  }
}

/** The money of orders is not owed twice, whatever a payload says: there the number counts. */
function isDoubted({ once, effectOfNumber, said = null }: Owed): boolean {
  return once && (effectOfNumber?.startsWith('booked/') === true || said !== null)
}

/** A step that a person decides about, under a name of its own: the other event has the one that it would have. It stands in nobody's way. */
function forPerson({ effect, said, ...step }: Owed, before: number): Owed {
  const own = said ? `${effect}/${said}` : effect
  return { ...step, part: perhapsBooked(before), entity: null, ...(own !== undefined && { effect: own }) }
}
