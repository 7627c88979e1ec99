import { perhapsBooked } from '../flows/back-office.ts'
import type { Flow, Step } from '../flows/flow.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { Owed } from '../store/owed.ts'
import type { Store } from '../store/store.ts'
import { plannedAgain } from './reroute.ts'

export type ToldApart = (owed: Owed[]) => Owed[] | Promise<Owed[]>

interface Options {
  store: Pick<Store, 'owedBefore' | 'event'>
  flows: readonly Flow[]
  mappings: Mappings
}

/** A number may name two facts. Equal content is one fact; other or pruned content needs an operator. */
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

/** Refunds count by number alone. */
function isDoubted({ once, said }: Owed): boolean {
  return once && said !== undefined
}

function forPerson({ effect, said, ...step }: Owed, before: number): Owed {
  return { ...step, part: perhapsBooked(before), entity: null, effect: `${effect}/${said}` }
}
