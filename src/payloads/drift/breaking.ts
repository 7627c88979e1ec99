import type { PayloadDrift } from '../../domain/drift/learned.ts'
import { shapeOf } from '../known/kinds.ts'
import type { Mappings } from '../mapping/mapping.ts'
import { matchSchema } from '../schema/match.ts'

/**
 * Whether the hub may not find what it reads: a field that it reads has a type that it does not take, or one without which nothing
 * is made of the event is null. Pure.
 */
export function isBreaking({ kind, path, what, type }: PayloadDrift, mappings: Mappings): boolean {
  const shape = shapeOf(kind)
  if (!shape || (what !== 'null' && what !== 'type')) return false
  const given = Object.hasOwn(mappings, kind) ? (mappings[kind] ?? {}) : {}
  const now = type === 'null' ? [] : [{ path, is: type }]
  const readers = matchSchema(shape, now, given).filter(({ looked }) =>
    looked.some((one) => one.toLowerCase() === path.toLowerCase()),
  )
  if (what === 'type') return readers.some(({ state }) => state === 'absent')
  return readers.some(({ field }) => shape.essentials.some((group) => group.includes(field)))
}
