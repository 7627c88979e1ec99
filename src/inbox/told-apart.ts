import { perhapsBooked } from '../flows/booked-names.ts'
import type { Flow } from '../flows/flow.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { Store } from '../store/store.ts'
import { plannedAgain } from './reroute.ts'

/** Steps as they are to be owed; a promise only where an earlier version may have owed them. */
export type ToldApart = (owed: Owed[]) => Owed[] | Promise<Owed[]>

interface Options {
  store: Pick<Store, 'namedAlone' | 'event'>
  flows: readonly Flow[]
  mappings: Mappings
}

/**
 * Earlier versions named facts of the books by a number that stores, terminals and part deliveries share. Whether what they have
 * booked is the same fact is told by its payload: today's name of it is this step's, or another. Where it says another, the
 * number counts for nothing; where nothing is left that could say it, the step is owed for a person to decide.
 */
export function createToldApart({ store, flows, mappings }: Options): ToldApart {
  return (owed) => (owed.some(isBookedByNumber) ? apart(owed) : owed)

  async function apart(owed: Owed[]): Promise<Owed[]> {
    const asked = owed.filter(isBookedByNumber)
    const before = await store.namedAlone(asked)
    const events = new Map(asked.map((step, n) => [step, before[n] ?? null]))
    return await Promise.all(owed.map((step) => one(step, events.get(step) ?? null)))
  }

  async function one(step: Owed, before: number | null): Promise<Owed> {
    if (before === null) return step
    const name = await nameOf(before, step)
    if (name === step.effect) return step
    const alone = { ...step, effectOfNumber: null }
    return name === null ? { ...alone, part: perhapsBooked(before) } : alone
  }

  /** Today's name of what an event has booked; null: nobody can tell. */
  async function nameOf(id: number, { flow: name, effectOfNumber }: Owed): Promise<string | null> {
    const event = await store.event(id)
    const flow = flows.find((one) => one.name === name)
    if (!event?.body || !flow) return null
    try {
      const steps = flow.plan(plannedAgain(event, event.body, mappings))
      return steps.find((one) => one.effectOfNumber === effectOfNumber)?.effect ?? null
    } catch {
      return null
    }
  }
}

/** The money of orders is not owed twice, whatever a payload says: there the number counts. */
function isBookedByNumber({ once, effectOfNumber }: Owed): boolean {
  return once && effectOfNumber?.startsWith('booked/') === true
}
