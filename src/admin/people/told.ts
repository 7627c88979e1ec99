import { DIRECTORY, MIRROR } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import type { Known } from './look.ts'

/** A system that was told of the person, and what it has them as: a person has it forget them there. */
export interface ToldSystem {
  destination: string
  /** Deliveries of the person's events that it took. */
  deliveries: number
  /** Its own ids of the customer, where the hub knows them. */
  theirIds: string[]
}

/** The hub's own tables are erased with the rest. */
const OWN = [DIRECTORY, MIRROR]

/** The systems that were told of a person: the hub forgets for itself alone. */
export async function toldSystems(
  store: Pick<Store, 'deliveries' | 'personalPage'>,
  { events, person: { customerIds } }: Known,
): Promise<ToldSystem[]> {
  const told = new Map<string, ToldSystem>()
  const systemOf = (destination: string) => {
    const system = told.get(destination) ?? { destination, deliveries: 0, theirIds: [] }
    told.set(destination, system)
    return system
  }
  for (const { id } of events)
    for (const { destination, state } of await store.deliveries({ event: id, limit: 500 }))
      if (state === 'delivered' && !OWN.includes(destination)) systemOf(destination).deliveries += 1
  const { rows } = await store.personalPage({ place: 'links', saying: customerIds, after: 0 })
  for (const { values } of rows) {
    const [destination, kind, , theirId] = values.map(String)
    if (kind === 'customer' && destination && theirId) systemOf(destination).theirIds.push(theirId)
  }
  return [...told.values()].sort((a, b) => a.destination.localeCompare(b.destination))
}
