import type { KindAcknowledged } from '../../domain/drift/acknowledged.ts'
import type { SeenDrift } from '../../domain/health/payload-health.ts'
import type { Flow } from '../../flows/flow.ts'
import { isBreaking } from '../../payloads/drift/breaking.ts'
import type { Mappings } from '../../payloads/mapping/mapping.ts'
import type { Store } from '../../store/store.ts'
import { findingPages } from '../../store/walk-pages.ts'

interface Known {
  flows: readonly Flow[]
  mappings: Mappings
}

/** What was found to be new in payloads, the oldest first; `kind`: of that one alone, `from`: of events since that day (UTC). */
export async function keptDrifts(
  store: Pick<Store, 'findings'>,
  { flows, mappings }: Known,
  filter: { kind?: string; from?: string } = {},
): Promise<SeenDrift[]> {
  const { kind, from } = filter
  const drifts: SeenDrift[] = []
  const asked = { sort: 'payload-drift', ...(kind !== undefined && { topic: kind }), ...(from && { from }) } as const
  for await (const page of findingPages(store, asked))
    for (const { says } of page)
      drifts.push({ ...says, breaks: isBreaking(says, mappings), flows: flowsOf(says.kind, flows) })
  return drifts
}

/** The flows that act on a kind; those that hand on every kind are not named. */
export function flowsOf(kind: string, flows: readonly Flow[]): string[] {
  return flows.filter(({ kinds }) => kinds !== 'all' && kinds.includes(kind)).map(({ name }) => name)
}

/** What people have acknowledged, by kind. */
export async function acknowledgedKinds(store: Pick<Store, 'findings'>): Promise<Map<string, KindAcknowledged>> {
  const known = new Map<string, KindAcknowledged>()
  for await (const page of findingPages(store, { sort: 'kind-acknowledged' }))
    for (const { says } of page) known.set(says.kind, says)
  return known
}
