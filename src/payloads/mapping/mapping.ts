import { type Event, payloadOf } from '../../domain/queue/event.ts'
import { shapeOf } from '../known/kinds.ts'
import { type MappingFault, withFaults } from './faults.ts'
import { mapLevel } from './level.ts'
import type { Evaluate } from './values.ts'

/**
 * Where config says that fields of payloads stand (`platform.payloads`): by kind, and by the hub's own name of the field. A path
 * (`Transaction.Amount`), or other JSONata.
 */
export type Mappings = Readonly<Record<string, Readonly<Record<string, string>>>>

export const NO_MAPPINGS: Mappings = {}

/**
 * A payload with the fields that config maps where the hub looks for them; the names that the hub would have guessed say nothing
 * then. What an expression fails on is noted in it, so that nothing is made of it. A kind that config does not map comes
 * back as it is.
 */
export function mapped(kind: string, payload: unknown, mappings: Mappings, evaluate: Evaluate): unknown {
  const shape = shapeOf(kind)
  const given = Object.hasOwn(mappings, kind) ? mappings[kind] : undefined
  if (!shape || !given || payload === null || typeof payload !== 'object') return payload
  const copy = structuredClone(payload)
  const faults: MappingFault[] = []
  mapLevel([{ original: payload, copy }], { shape, given, list: null, evaluate, faults })
  return withFaults(copy, faults)
}

/** The same of a whole event. What is handed on as it came must not come through here. */
export function mappedEvent(event: Event, mappings: Mappings, evaluate: Evaluate): Event {
  if (!Object.hasOwn(mappings, event.kind) || event.body.byteLength === 0) return event
  const payload = payloadOf(event)
  return { ...event, body: Buffer.from(JSON.stringify(mapped(event.kind, payload, mappings, evaluate))) }
}

/** The mapping of a kind's fields in config, in words; null: none. */
export function mappingText(kind: string, mappings: Mappings): string | null {
  const given = Object.hasOwn(mappings, kind) ? Object.entries(mappings[kind] ?? {}) : []
  return given.length === 0 ? null : given.map(([name, where]) => `${name} is ${where}`).join(', ')
}
