import type { Sources } from '../../delivery/calling/inputs.ts'
import { prepare } from '../../delivery/calling/prepare.ts'
import type { Destination } from '../../delivery/destination.ts'
import type { Link } from '../../domain/orders/link.ts'
import type { Event } from '../../domain/queue/event.ts'
import { fieldsOf } from '../../domain/shadow/fields.ts'
import type { ShadowCall } from '../../domain/shadow/shadow-call.ts'
import type { Flow } from '../../flows/flow.ts'
import { systemClock } from '../../lib/clock.ts'
import { createTable } from '../../lib/table.ts'
import type { Claim } from '../../store/claim.ts'
import type { Owed } from '../../store/owed.ts'

interface Parts {
  flow: Flow
  destination: Destination
  sources: Sources
}

/** The call of a step, made ready as for its first try and not carried out; and the links that would be kept once it is. */
export async function shadowCallOf(
  event: Event,
  step: Owed,
  { flow, destination, sources }: Parts,
): Promise<{ call: ShadowCall; links: readonly Link[] }> {
  const { part, entity } = step
  const head = { event: event.id, kind: event.kind, destination: destination.name, flow: flow.name, part, entity }
  const limits = {
    clock: systemClock,
    timeout: destination.lane.timeout,
    underWay: createTable<AbortController>(),
    inHand: { over: <T>(_: number | null, work: () => T) => work(), layDown() {} },
  }
  const wouldBe = { ...destination, dryRun: false }
  const ready = await prepare(claimOf(event, step), flow, wouldBe, sources, limits)
  if (!('call' in ready)) {
    const why = ready.type === 'delivered' ? null : `${WORDS[ready.type]}: ${ready.why}`
    return { call: { ...head, method: null, fields: {}, why }, links: [] }
  }
  const { port, method, argument } = ready.call
  if (destination.dryRun)
    return { call: { ...head, method: null, fields: {}, why: 'dry run: nothing is sent there' }, links: ready.told }
  return {
    call: { ...head, method: `${port}.${method}`, fields: fieldsOf(argument), why: null },
    links: ready.told,
  }
}

const WORDS = {
  superseded: 'nothing is left to do',
  retry: 'it would wait',
  wait: 'it would wait',
  held: 'it would be held',
  dead: 'it would be dead',
  unknown: 'nobody can tell',
} as const

/** A step as if it were claimed for the first time, the moment its event came. */
function claimOf(event: Event, step: Owed): Claim {
  const { flow, part, destination, urgency, entity, batch, once, effect = null } = step
  return {
    fence: 0,
    delivery: {
      id: 0,
      flow,
      part,
      destination,
      urgency,
      entity,
      batch,
      once,
      effect,
      tries: 0,
      finds: 0,
      failingSince: null,
      firstTriedAt: null,
      open: false,
      released: null,
    },
    event,
    unchanged: false,
    outdated: false,
    overtaken: null,
  }
}
