import type { Link } from '../../domain/orders/link.ts'
import type { Store } from '../../store/store.ts'

/** Everything that calls of a replay would have left behind, in place of what the store keeps of those that were made. */
export interface Memory extends Pick<Store, 'links' | 'effectsOf'> {
  /** False: the effect of this name has been owed before, and is not owed again. */
  owes(name: string): boolean
  /** A call was made: these links are kept, and its effect is done. */
  made(links: readonly Link[], effect: string | null): void
}

/** Begins with nothing: as if none of the events had been acted on. */
export function createMemory(): Memory {
  const owed = new Set<string>()
  const links = new Map<string, Map<string, Link>>()
  const effects = new Set<string>()
  return {
    owes(name) {
      if (owed.has(name)) return false
      owed.add(name)
      return true
    },
    made(kept, effect) {
      for (const link of kept) {
        const name = nameOf(link.destination, link.kind, link.id)
        links.set(name, (links.get(name) ?? new Map()).set(link.theirId, link))
      }
      if (effect !== null) effects.add(effect)
    },
    links: async (destination, kind, ids) =>
      [...new Set(ids)].flatMap((id) => [...(links.get(nameOf(destination, kind, id))?.values() ?? [])]),
    // Nobody skips anything in a replay.
    effectsOf: async (state, beginning) =>
      state === 'skipped' ? [] : [...effects].filter((effect) => effect.startsWith(beginning)),
  }
}

function nameOf(...parts: string[]): string {
  return JSON.stringify(parts)
}
