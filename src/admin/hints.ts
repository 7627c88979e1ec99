import type { Flow } from '../flows/flow.ts'
import { suggest } from '../lib/suggest.ts'
import { KIND_NAMES } from '../payloads/kinds.ts'

/** An answer that says why there is nothing, perhaps; null: nothing to say. */
export interface Hinted {
  hint: string | null
}

/** Names by which something is selected. */
interface Named {
  kind?: string | undefined
  flow?: string | undefined
  destination?: string | undefined
}

interface Options {
  flows: readonly Pick<Flow, 'name'>[]
  /** Names of the destinations that config has. */
  destinations: readonly string[]
}

/**
 * Hints on names that nobody knows: who mistypes one would be told that there is nothing. They are no refusals: the platform adds kinds,
 * and things may be owed to a destination that config has no more.
 */
export function createHints({ flows, destinations }: Options) {
  const flowNames = flows.map(({ name }) => name)
  return {
    of({ kind, flow, destination }: Named): string | null {
      return (
        nameHint('kind', kind, KIND_NAMES) ??
        nameHint('flow', flow, flowNames) ??
        nameHint('destination', destination, destinations)
      )
    },
  }
}

export type Hints = ReturnType<typeof createHints>

function nameHint(what: string, name: string | undefined, names: readonly string[]): string | null {
  if (name === undefined || names.includes(name)) return null
  const near = suggest(name, names)
  return `The hub knows no ${what} "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`
}
