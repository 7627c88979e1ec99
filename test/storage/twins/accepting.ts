import type { Arrival, NewDelivery, Verdict } from '../../../src/storage/arrival.ts'
import { createArrivals } from '../arrivals.ts'
import { type Act, nameOfEvent, type Twin } from './twin.ts'
import { DESTINATIONS, due, ENTITIES, FACTS, FLOWS, KINDS, pendingOf, type World } from './world.ts'

interface Sketch extends Omit<Partial<Arrival>, 'receivedAt'> {
  text: string
  /** It says more than the event that it is a copy of. */
  isRicher: boolean
}

export function arrivalOf(world: World): Sketch {
  const { choose, may, below, moves, ends } = world
  const only = choose(DESTINATIONS)
  const entity = choose(ENTITIES)
  const origin = may(0.85) ? 'platform' : 'erp'
  // The kinds of own systems are theirs alone.
  const identity = may(0.6) ? `${origin}-${below(12)}` : null
  const versioned = may(0.5)
  const line = { resource: 'orders', key: `k${below(3)}`, line: 1 + below(4) }
  return {
    isRicher: may(0.5),
    text: `${identity ?? ''}/${below(4)}`,
    kind: choose(KINDS),
    origin,
    ...(origin === 'erp' && may(0.7) && { submission: line }),
    subscription: may(0.8) ? 'all' : '14',
    transportKey: may(0.5) ? `T-${below(40)}` : null,
    identity,
    versioned,
    ...(versioned && may(0.3) && { repeatable: true as const }),
    exact: origin === 'erp',
    facts: may(0.3) ? [String(below(2)), null, null] : null,
    problem: may(0.05) ? 'no JSON' : null,
    entity,
    deliveries: eachStepOnce(
      Array.from({ length: below(4) }, () => pendingOf(world, entity, moves ? only : choose(DESTINATIONS))),
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

function eachStepOnce(pending: readonly NewDelivery[]): NewDelivery[] {
  return [...new Map(pending.map((one) => [`${one.flow}/${one.part}/${one.destination}`, one])).values()]
}

export function accept(sketches: readonly Sketch[]): Act {
  return {
    name: `accept ${JSON.stringify(sketches)}`,
    async on(twin) {
      const { arrival } = createArrivals(twin.the.clock)
      const now = twin.the.clock.now()
      const arrivals = sketches.map(({ text, isRicher: _, deliveries = [], ...given }) =>
        arrival({ ...given, deliveries: deliveries.map((one) => due(one, now)), payload: { text } }),
      )
      const verdicts = await twin.the.storage.accept(arrivals)
      for (const [n, verdict] of verdicts.entries()) remember(twin, verdict, sketches[n]?.problem != null)
      const completed = []
      for (const [n, verdict] of verdicts.entries())
        if (sketches[n]?.isRicher && verdict.status === 'duplicate' && verdict.otherBytes)
          completed.push(...(await complete(twin, arrivals[n] as Arrival, verdict.id)))
      return [...verdicts, ...completed].map((verdict) => namedVerdict(twin, verdict))
    },
  }
}

function remember({ events, submissions }: Twin, verdict: Verdict, isQuarantined: boolean): void {
  // Where an answer was lost, the same again is a copy of what nobody here has heard of.
  if (!events.includes(verdict.id)) events.push(verdict.id)
  // Of what is quarantined, only a copy tells.
  const submission = 'submission' in verdict && !isQuarantined ? verdict.submission : null
  if (submission !== null && !submissions.includes(submission)) submissions.push(submission)
}

/** As the inbox does with what says more than the event that it is a copy of. */
async function complete({ the: { storage } }: Twin, arrival: Arrival, id: number): Promise<Verdict[]> {
  const event = await storage.event(id)
  const isSame = event !== null && event.kind === arrival.kind && event.identity === arrival.identity
  return !isSame || arrival.identity === null
    ? []
    : await storage.accept([{ ...arrival, completes: { event: id, bodyHash: event.bodyHash } }])
}

/** `comparable` is a first look alone: whoever completes an event looks again. */
function namedVerdict(twin: Twin, { comparable: _, ...verdict }: Verdict & { comparable?: true }) {
  return {
    ...verdict,
    id: nameOfEvent(twin, verdict.id),
    ...('with' in verdict && { with: nameOfEvent(twin, verdict.with) }),
    ...('sameKeyAs' in verdict && { sameKeyAs: nameOfEvent(twin, verdict.sameKeyAs) }),
    ...('submission' in verdict && { submission: twin.submissions.indexOf(verdict.submission ?? 0) }),
  }
}

/** A request of an own system was read to its end. */
export function endSubmission(nth: number, refused: number): Act {
  return {
    name: `end submission ${nth} ${refused}`,
    async on({ the: { storage, clock }, submissions }) {
      const id = submissions[nth]
      if (id !== undefined) await storage.endSubmission(id, { at: clock.now(), lines: 4, refused, faults: [] })
    },
  }
}

export function enqueue(nth: number, deliveries: NewDelivery[]): Act {
  return {
    name: `owe ${nth} ${JSON.stringify(deliveries)}`,
    async on({ the: { storage, clock }, events }) {
      const id = events[nth]
      return id === undefined
        ? 0
        : await storage.enqueue(
            id,
            deliveries.map((one) => due(one, clock.now())),
          )
    },
  }
}
