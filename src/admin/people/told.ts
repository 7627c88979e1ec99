import { DIRECTORY, MIRROR } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import type { Known } from './look.ts'

/** A system that knows the person, and what it has them as: it has to forget them, too. */
export interface ToldSystem {
  destination: string
  /** Deliveries of the person's events that it took; 0: it told the hub of them. */
  deliveries: number
  /** Ids that the system itself gave the customer, where the hub knows them. */
  theirIds: string[]
  /** The hub can have it forget them; else a person has to. */
  byHub: boolean
}

/** The hub's own tables are erased with the rest. */
const OWN = [DIRECTORY, MIRROR]

/** The systems that know a person: those that were told, and those that told of them. */
export async function toldSystems(
  store: Pick<Store, 'deliveries' | 'personalPage'>,
  { events, person: { customerIds, isLinked } }: Known,
  canErase: (destination: string) => boolean,
): Promise<ToldSystem[]> {
  const told = new Map<string, ToldSystem>()
  const systemOf = (destination: string) => {
    const fresh = () => ({ destination, deliveries: 0, theirIds: [], byHub: canErase(destination) })
    const system: ToldSystem = told.get(destination) ?? fresh()
    told.set(destination, system)
    return system
  }
  for (const { id, origin } of events) {
    if (!OWN.includes(origin)) systemOf(origin)
    for (const { destination, state } of await store.deliveries({ event: id, limit: 500 }))
      if (state === 'delivered' && !OWN.includes(destination)) systemOf(destination).deliveries += 1
  }
  const { rows } = await store.personalPage({ place: 'links', saying: customerIds, after: 0 })
  for (const { values } of rows) {
    const [destination = '', kind, id = '', theirId] = values.map(String)
    if (kind === 'customer' && theirId && isLinked(destination, id)) systemOf(destination).theirIds.push(theirId)
  }
  return [...told.values()].sort((a, b) => a.destination.localeCompare(b.destination))
}
