import type { LoadedConfig } from '../../config/reading/load.ts'
import { located } from '../../config/reading/located.ts'
import { createOrderReader } from '../../delivery/evidence/order-reader.ts'
import { knownPlace } from '../../domain/places/known-place.ts'
import { createStoreIndex } from '../../domain/places/store-index.ts'
import { deliveryKey } from '../../domain/queue/event.ts'
import type { ShadowCall } from '../../domain/shadow/shadow-call.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { flows } from '../../flows/index.ts'
import { plannedAgain, readAgain } from '../../inbox/reroute.ts'
import { systemClock } from '../../lib/clock.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { mappedEvent } from '../../payloads/mapping/mapping.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'
import type { EventDetail } from '../../store/screens.ts'
import { createOffline } from '../offline.ts'
import { createMemory } from './memory.ts'
import { shadowCallOf } from './shadow-call.ts'

/** One config, and the calls that a hub with it would make of events, given to it in their order. */
export interface Side extends AsyncDisposable {
  /** Null: the event cannot be planned (quarantined, or its payload is not kept). */
  callsOf(event: EventDetail): Promise<ShadowCall[] | null>
}

/**
 * Puts a hub together as a config says, on a store that is only read. Nobody is asked: neither destinations nor the platform.
 * Throws what a start would throw.
 */
export async function openSide(loaded: LoadedConfig, reading: StoreReading): Promise<Side> {
  const { config, folder } = loaded
  const { payloads: mappings, trustWebhooks } = config.platform
  const stores = await reading.stores()
  const hub = await createOffline(config, folder, { flows, stores }).catch((error: unknown) => {
    throw located(error, loaded)
  })
  const index = createStoreIndex(stores)
  const destinations = new Map(hub.targets.map((one) => [one.name, one]))
  const flowsByName = new Map(flows.map((flow) => [flow.name, flow]))
  const memory = createMemory()
  const sources = {
    links: memory.links,
    effectsOf: memory.effectsOf,
    // What is open now was not when the event came.
    deliveries: async () => [],
    event: reading.event,
    find: async () => [],
    orders: createOrderReader(reading, null, {
      clock: systemClock,
      // Where the platform can be asked, it is taken to bear the webhook out.
      trusts: trustWebhooks || hub.platform !== null,
      storeName: (storeId) => index.nameOfStore(storeId),
    }),
    settlements: async () => {
      if (hub.platform === null) return null
      throw new RetryLaterError('a replay does not ask the platform for it', { code: 'not-asked' })
    },
    storeOf: (ref: Parameters<typeof knownPlace>[1]) => knownPlace(index, ref),
  }

  return {
    async callsOf({ body, ...row }) {
      // A quarantined one that could be read has been taken again, as an event of its own.
      if (body === null || (row.state === 'quarantined' && row.dismissedAt !== null)) return null
      const planned = row.state === 'quarantined' ? readAgain(row, body, mappings) : plannedAgain(row, body, mappings)
      if (planned === null) return null
      const event = { ...row, body, identity: planned.identity }
      const calls: ShadowCall[] = []
      for (const step of hub.route(planned)) {
        const [flow, destination] = [flowsByName.get(step.flow), destinations.get(step.destination)]
        if (!flow || !destination) continue
        const effect = step.effect ?? null
        const key = deliveryKey(event, step.flow, step.part, effect)
        if (flow.once && !memory.owes(flow.each ? `${destination.name} ${key}` : key)) continue
        const read = flow.port === 'publish' ? event : mappedEvent(event, mappings, evaluate)
        const { call, links } = await shadowCallOf(read, step, { flow, destination, sources })
        memory.made(links, call.method === null ? null : effect)
        calls.push(call)
      }
      return calls
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}
