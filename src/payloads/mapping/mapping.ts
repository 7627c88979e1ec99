import { type Event, PULLED, payloadOf } from '../../domain/queue/event.ts'
import { shapeOf } from '../known/kinds.ts'
import { type MappingFault, withFaults } from './faults.ts'
import { mapLevel } from './level.ts'
import type { Evaluate } from './values.ts'

/**
 * Where config says that fields of webhooks' payloads stand (`platform.payloads`): by kind, and by the hub's own name of the field. A path
 * (`Transaction.Amount`), or other JSONata.
 */
export type Mappings = Readonly<Record<string, Readonly<Record<string, string>>>>

export const NO_MAPPINGS: Mappings = {}

/** The event that a payload is of: what the hub pulled it wrote itself, in names of its own, and no mapping concerns it. */
type MappedEvent = Pick<Event, 'kind' | 'subscription'>

/** The fields that config maps in the payload of an event; undefined: none. */
function mappingFor({ kind, subscription }: MappedEvent, mappings: Mappings): Mappings[string] | undefined {
  return subscription !== PULLED && Object.hasOwn(mappings, kind) ? mappings[kind] : undefined
}

/**
 * A payload with the fields that config maps where the hub looks for them; the names that the hub would have guessed say nothing
 * then. What an expression fails on is noted in it, so that nothing is made of it. What config does not map comes back as it
 * is, and so does what was pulled.
 */
export function mapped(event: MappedEvent, payload: unknown, mappings: Mappings, evaluate: Evaluate): unknown {
  const shape = shapeOf(event.kind)
  const given = mappingFor(event, mappings)
  if (!shape || !given || payload === null || typeof payload !== 'object') return payload
  const copy = structuredClone(payload)
  const faults: MappingFault[] = []
  mapLevel([{ original: payload, copy }], { shape, given, list: null, evaluate, faults })
  return withFaults(copy, faults)
}

/** The same of a whole event. What is handed on as it came must not come through here. */
export function mappedEvent(event: Event, mappings: Mappings, evaluate: Evaluate): Event {
  if (mappingFor(event, mappings) === undefined || event.body.byteLength === 0) return event
  const payload = payloadOf(event)
  return { ...event, body: Buffer.from(JSON.stringify(mapped(event, payload, mappings, evaluate))) }
}

/** The mapping of an event's fields in config, in words; null: none. */
export function mappingText(event: MappedEvent, mappings: Mappings): string | null {
  const given = Object.entries(mappingFor(event, mappings) ?? {})
  return given.length === 0 ? null : given.map(([name, where]) => `${name} is ${where}`).join(', ')
}
