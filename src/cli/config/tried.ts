import type { Config } from '../../config/config.ts'
import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { HeldError, PermanentError } from '../../domain/values/errors.ts'
import { type flows, NOTHING_KNOWN } from '../../flows/index.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { kindOf } from '../../payloads/kinds.ts'
import { mapped } from '../../payloads/mapping/mapping.ts'
import { type ShownField, shownReading } from '../../payloads/schema/shown-reading.ts'
import { unreadOf, unreadText } from '../../payloads/unread.ts'
import { flowsOf } from '../doctor/fields.ts'

/** The result that a config would have for a kept payload. */
export interface Tried {
  event: number
  receivedAt: number
  fields: ShownField[]
  outcome: 'acted' | 'held' | 'quarantined' | 'nothing'
  /** In words, without personal data. */
  becomes: string
  /** The steps that would be owed; `effect`: the fact that a step brings about once, whatever event tells of it. */
  goes: { destination: string; flow: string; effect: string | null }[]
}

type Configured = Pick<Config, 'platform' | 'destinations'>
type AnyFlow = (typeof flows)[number]

/** Reads a payload as a config says, plans its steps, and carries out none. */
export function triedOn(event: Event, { platform, destinations }: Configured): Tried {
  const { kind, origin, receivedAt } = event
  const head = { event: event.id, receivedAt }
  let payload: unknown
  try {
    payload = mapped(event, payloadOf(event), platform.payloads, evaluate)
  } catch {
    return { ...head, fields: [], outcome: 'quarantined', becomes: 'would be quarantined: it is not JSON', goes: [] }
  }
  const known = kindOf(kind)
  const fields = shownReading(kind, payload)
  const identity = known?.identity?.(payload, origin) ?? null
  if (known?.identity && identity === null) {
    const becomes = `would be quarantined: ${kind} is told apart by ${known.identityText}`
    return { ...head, fields, outcome: 'quarantined', becomes, goes: [] }
  }
  const unread = unreadOf(kind, payload)
  if (unread.length > 0)
    return { ...head, fields, outcome: 'held', becomes: `would be held: ${unreadText(kind, unread)}`, goes: [] }
  const entity = identity?.entity ?? known?.entity?.(payload) ?? null
  const planned = { kind, origin, identity: identity?.key ?? null, entity, payload, receivedAt }
  const read = { ...event, body: Buffer.from(JSON.stringify(payload)) }
  const goes: Tried['goes'] = []
  for (const destination of destinations)
    for (const flow of flowsOf(destination, kind))
      for (const step of flow.plan(planned, destination.channels)) {
        const why = whyNot(flow, read, step.part)
        if (why !== null)
          return { ...head, fields, outcome: 'held', becomes: `would be held by ${flow.name}: ${why}`, goes: [] }
        goes.push({ destination: destination.name, flow: flow.name, effect: step.effect ?? null })
      }
  return goes.length > 0
    ? { ...head, fields, outcome: 'acted', becomes: 'would be acted on', goes }
    : { ...head, fields, outcome: 'nothing', becomes: 'would go nowhere: no destination acts on it', goes }
}

/** Why a flow would make no call of it; null: it would, or that takes more than the event to know. */
function whyNot(flow: AnyFlow, event: Event, part: string): string | null {
  if (flow.port !== 'backOffice' || flow.needsSettlement?.(event)) return null
  try {
    flow.call(event, { part }, ALONE)
    return null
  } catch (error) {
    if (error instanceof HeldError || error instanceof PermanentError) return error.message
    throw error
  }
}

/** An event by itself: a call of the books knows nothing of the world. */
const ALONE: Parameters<AnyFlow['call']>[2] = {
  ...NOTHING_KNOWN,
  storeOf: ({ number = null, storeId = null, countryCode = null }) => ({
    storeNo: number,
    storeId,
    storeKey: null,
    country: countryCode,
    zone: null,
  }),
}
