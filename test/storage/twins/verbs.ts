import type { DeliveryFilter, EventFilter } from '../../../src/storage/rows.ts'
import { by, FAILED } from '../acting.ts'
import { settleSome } from './claiming.ts'
import { toThePast } from './keeping.ts'
import { type Act, giveAllBack, type Twin } from './twin.ts'
import { DESTINATIONS, FLOWS, type World } from './world.ts'

export function verb({ choose, may, below, moves }: World, { events }: Twin): Act {
  const destination = choose(DESTINATIONS)
  const other = destination === 'shop' ? 'bus' : 'shop'
  const dryRun = may(0.2)
  const again = may(0.5)
  const which = choose(['retry', 'retry', 'skip', 'releaseHeld', moves ? 'move' : 'skip'] as const)
  const nth = below(Math.max(1, events.length))
  const filter: DeliveryFilter = choose<DeliveryFilter>([
    { destination },
    { state: 'dead' },
    { state: 'held', destination },
    { flow: choose(FLOWS) },
    { entity: 'order:1' },
    { event: nth },
  ])
  return {
    name: `${which} ${JSON.stringify(filter)}${dryRun ? ' dry' : ''}${again ? ' again' : ''} ${destination}`,
    async on(twin) {
      const { storage, clock } = twin.the
      if (which === 'retry') await giveAllBack(twin)
      // What the other destination has of it may be long past.
      if (which === 'move') await toThePast(twin, 0)
      const audit = by(clock.now(), dryRun)
      const meant = filter.event === undefined ? filter : { event: twin.events[nth] ?? 0 }
      const changed =
        which === 'retry'
          ? await storage.retry(meant, audit, again)
          : which === 'move'
            ? await storage.move(destination, other, audit)
            : await storage[which](meant, audit)
      const { matched, changed: count } = changed
      // What was moved while it was out comes back to another line: until then it stands before those that are there, or not.
      if (which === 'move' && again) await giveAllBack(twin)
      if (which === 'move' && !again)
        await settleSome(
          [...twin.claims.keys()].map((name) => [name, () => FAILED]),
          'hold',
        ).on(twin)
      return { matched, changed: count }
    },
  }
}

export function dismiss(which: EventFilter): Act {
  return {
    name: `dismiss ${JSON.stringify(which)}`,
    async on({ the: { storage, clock } }) {
      const { matched, changed } = await storage.dismiss(which, by(clock.now()))
      return { matched, changed }
    },
  }
}
