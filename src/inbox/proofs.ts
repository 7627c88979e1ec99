import type { Flow, Planned } from '../flows/flow.ts'

/** Facts that an event proves, whoever is there to act on them. */
export interface Proven {
  facts: string[]
  /** No flow makes a step of it, and one understood it: there is nothing to do. */
  quiet: boolean
}

/** Reads what events prove, by the flows of their kinds. */
export function createProofs(flows: readonly Flow[]): (event: Planned) => Proven {
  const byKind = Map.groupBy(
    flows.flatMap((flow) => (flow.kinds === 'all' ? [] : flow.kinds.map((kind) => ({ kind, flow })))),
    ({ kind }) => kind,
  )
  return (event) => {
    const concerned = byKind.get(event.kind) ?? []
    const facts = concerned.flatMap(({ flow }) => flow.proves?.(event) ?? [])
    return { facts, quiet: facts.length > 0 && concerned.every(({ flow }) => flow.plan(event).length === 0) }
  }
}
