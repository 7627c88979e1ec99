import type { Standing } from '../../../domain/ledger/facts/fact.ts'
import { PLATFORM, PULLED } from '../../../domain/queue/event.ts'
import type { Store } from '../../../store/store.ts'
import { partsOf } from '../../engine/handover.ts'
import type { ListedFact } from './road.ts'

/** So many are asked for at once, each by several keys: the writer's thread answers in a few milliseconds, and webhooks wait for it. */
const AT_ONCE = 250

/**
 * What the hub has of facts whose subject is the identity of their event. What was pulled before its webhook was due (`lag`) was
 * told in time.
 */
export async function standingsOf(
  kinds: readonly string[],
  facts: readonly ListedFact[],
  lag: number,
  store: Pick<Store, 'known'>,
): Promise<Standing[]> {
  const standings: Standing[] = []
  for (const some of partsOf(facts, AT_ONCE)) {
    const asked = some.flatMap((fact) =>
      [fact.subject, ...(fact.aliases ?? [])].flatMap((identity) => kinds.map((kind) => ({ fact, kind, identity }))),
    )
    const found = await store.known(
      asked.map(({ kind, identity }) => ({ kind, origin: PLATFORM, transportKey: null, identity, bodyHash: '' })),
    )
    const byFact = Map.groupBy(found.entries(), ([index]) => asked[index]?.fact)
    for (const fact of some) {
      const { latest } = fact
      const events = (byFact.get(fact) ?? []).flatMap(([, event]) => event ?? [])
      const isTold = events.some(
        ({ subscription, receivedAt, hasKey }) => subscription !== PULLED || hasKey || receivedAt < latest + lag,
      )
      standings.push(isTold ? 'told' : events.length > 0 ? 'pulled' : 'untold')
    }
  }
  return standings
}
