import { field } from '../../domain/values/field.ts'
import { type MadeKind, VARIED } from './examples.ts'

/** Whether a payload has every field that a made event is told apart by, so that others can be made of it. */
export function isShape(kind: MadeKind, payload: unknown): boolean {
  return VARIED[kind].every((path) => {
    const value = path.split('.').reduce<unknown>(field, payload)
    return value !== undefined && value !== null
  })
}

/** The payload with other values at these paths, of which each is there. */
export function varied(payload: unknown, values: Readonly<Record<string, unknown>>): unknown {
  const copy: unknown = structuredClone(payload)
  for (const [path, value] of Object.entries(values)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const record = names.reduce<unknown>(field, copy)
    if (typeof record === 'object' && record !== null) Object.assign(record, { [last]: value })
  }
  return copy
}
