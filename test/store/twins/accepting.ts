import type { Arrival, Verdict } from '../../../src/store/arrival.ts'
import type { Owed } from '../../../src/store/owed.ts'
import { createArrivals } from '../arrivals.ts'
import type { Act } from './twin.ts'
import { DESTINATIONS, ENTITIES, FACTS, FLOWS, KINDS, owedOf, type World } from './world.ts'

interface Sketch extends Omit<Partial<Arrival>, 'receivedAt'> {
  text: string
}

export function arrivalOf(world: World): Sketch {
  const { choose, may, below, moves, ends } = world
  const only = choose(DESTINATIONS)
  const entity = choose(ENTITIES)
  const identity = may(0.6) ? `id-${below(12)}` : null
  const versioned = may(0.5)
  return {
    text: `${identity ?? ''}/${below(4)}`,
    kind: choose(KINDS),
    origin: may(0.9) ? 'platform' : 'erp',
    subscription: may(0.8) ? 'all' : '14',
    transportKey: may(0.5) ? `T-${below(40)}` : null,
    identity,
    versioned,
    ...(versioned && may(0.3) && { repeatable: true as const }),
    exact: may(0.1),
    facts: may(0.3) ? [String(below(2)), null, null] : null,
    problem: may(0.05) ? 'no JSON' : null,
    entity,
    deliveries: eachStepOnce(
      Array.from({ length: below(4) }, () => owedOf(world, entity, moves ? only : choose(DESTINATIONS))),
    ),
    ...(may(0.1) && { quiet: true }),
    ...(may(0.15) && !ends && { proves: [choose(FACTS)] }),
    ...(may(0.1) && {
      acknowledges: [
        { destination: choose(DESTINATIONS), flow: choose(FLOWS), subject: String(entity), digest: `d${below(2)}` },
      ],
    }),
    ...(may(0.1) && {
      links: [{ kind: 'order', id: `o${below(3)}`, destination: choose(DESTINATIONS), theirId: `${below(9)}` }],
    }),
  }
}

function eachStepOnce(owed: readonly Owed[]): Owed[] {
  return [...new Map(owed.map((one) => [`${one.flow}/${one.part}/${one.destination}`, one])).values()]
}

export function accept(sketches: readonly Sketch[]): Act {
  return {
    name: `accept ${JSON.stringify(sketches)}`,
    async on({ the, events }) {
      const { arrival } = createArrivals(the.clock)
      const verdicts = await the.store.accept(
        sketches.map(({ text, ...given }) => arrival({ ...given, payload: { text } })),
      )
      for (const { status, id } of verdicts) if (status !== 'duplicate') events.push(id)
      return verdicts.map((verdict) => namedVerdict(verdict, events))
    },
  }
}

/** `comparable` is a first look alone: whoever completes an event looks again. */
function namedVerdict({ comparable: _, ...verdict }: Verdict & { comparable?: true }, events: number[]) {
  const name = (id: number | null) => (id === null ? null : events.indexOf(id))
  return {
    ...verdict,
    id: name(verdict.id),
    ...('with' in verdict && { with: name(verdict.with) }),
    ...('sameKeyAs' in verdict && { sameKeyAs: name(verdict.sameKeyAs) }),
  }
}

export function owe(nth: number, deliveries: Owed[]): Act {
  return {
    name: `owe ${nth} ${JSON.stringify(deliveries)}`,
    on: async ({ the, events }) => (events[nth] === undefined ? 0 : await the.store.owe(events[nth], deliveries)),
  }
}
