import { type CallContext, EMPTY_CONTEXT, type EventToRoute, type Flow, type GuardName } from '../../src/flows/flow.ts'
import { flows } from '../../src/flows/index.ts'
import { claimOf, eventOf, NOW } from '../queue/kit/parts.ts'
import { sourcesOf } from '../queue/sources.ts'

/* Flows by themselves: no hub, no storage. */

export const ARTICLE = '7090012340011'
export const RELEASED = { by: 'Ola', reason: 'I asked' }

/** An event as planning sees it. */
export function planned(kind: string, payload: unknown, entity: string | null = 'it'): EventToRoute {
  return { kind, origin: 'platform', identity: null, entity, payload, receivedAt: 0 }
}

export function flowNamed(name: string): Flow {
  const found = flows.find((flow) => flow.name === name)
  if (!found) throw new Error(`There is no flow ${name}.`)
  return found
}

/** What a flow calls for this event, told what guards would have found out. */
export function called(
  flow: Flow | undefined,
  kind: string,
  payload: object,
  known: Partial<CallContext> = {},
  part = '',
) {
  const storeOf = (ref: object) => ({ ...ref, zone: 'Europe/Oslo' }) as unknown as ReturnType<CallContext['storeOf']>
  return flow?.call(eventOf(payload, { kind }), { part }, { ...EMPTY_CONTEXT, storeOf, ...known })
}

/** What a guard of the flow says before this step, and what it asks for that. */
export function asking(
  flow: Flow,
  name: GuardName,
  { payload, kind }: EventToRoute,
  part = '',
  given: Parameters<typeof sourcesOf>[0] = {},
  delivery: Parameters<typeof claimOf>[0] = {},
  more: Partial<CallContext> = {},
  claimed: Parameters<typeof claimOf>[1] = {},
) {
  const { sources, asked } = sourcesOf(given)
  const event = eventOf(payload, { kind })
  const known = { ...EMPTY_CONTEXT, storeOf: sources.storeOf, ...more }
  const claim = claimOf({ part, ...delivery }, { event, ...claimed })
  const step = { ...claim, part, now: NOW, onlyLook: false, known, makesCall: () => true }
  const guard = flow.guards?.find((one) => one.name === name)
  return { asked, verdict: Promise.resolve(guard?.check?.(step, sources, new AbortController().signal)) }
}
