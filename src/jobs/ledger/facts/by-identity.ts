import type { Standing } from '../../../domain/ledger/facts/fact.ts'
import { PLATFORM, PULLED } from '../../../domain/queue/event.ts'
import { partsOf } from '../../../lib/parts.ts'
import type { KnownEvent } from '../../../store/key.ts'
import type { Store } from '../../../store/store.ts'
import type { ListedFact } from './road.ts'

/** Identities that are asked for at once: the writer's thread answers in a few milliseconds, and webhooks wait for it. */
const AT_ONCE = 250

/**
 * What the hub has of facts whose subject is the identity of their event. What was pulled before its webhook was due (`lag`) was
 * told in time. Nearly all are told under the first kind; only the others are looked for under every name that they may have.
 */
export async function standingsOf(
  kinds: readonly string[],
  facts: readonly ListedFact[],
  lag: number,
  store: Pick<Store, 'known'>,
): Promise<Standing[]> {
  const [first = ''] = kinds
  const standings: Standing[] = []
  for (const some of partsOf(facts, AT_ONCE)) {
    const told = await eventsOf(some, ({ subject }) => [{ kind: first, identity: subject }])
    const others = some.filter((_, index) => !told[index]?.some(isTellingOf(some[index])))
    const found = await eventsOf(others, namesOf)
    const events = new Map(others.map((fact, index) => [fact, found[index] ?? []]))
    for (const fact of some) {
      const those = events.get(fact)
      if (those === undefined || those.some(isTellingOf(fact))) standings.push('told')
      else standings.push(those.length > 0 ? 'pulled' : 'untold')
    }
  }
  return standings

  function namesOf({ subject, aliases = [] }: ListedFact): Name[] {
    return [subject, ...aliases].flatMap((identity) => kinds.map((kind) => ({ kind, identity })))
  }

  function isTellingOf(fact: ListedFact | undefined) {
    return (event: KnownEvent) => isTelling(event, fact, lag)
  }

  /** The events of each fact, by some of its names. */
  async function eventsOf(some: readonly ListedFact[], names: (fact: ListedFact) => Name[]): Promise<KnownEvent[][]> {
    const events: KnownEvent[][] = some.map(() => [])
    const asked = some.flatMap((fact, index) => names(fact).map((name) => ({ index, ...name })))
    for (const part of partsOf(asked, AT_ONCE)) {
      const found = await store.known(
        part.map(({ kind, identity }) => ({ kind, origin: PLATFORM, transportKey: null, identity, bodyHash: '' })),
      )
      for (const [nth, event] of found.entries()) if (event) events[part[nth]?.index ?? 0]?.push(event)
    }
    return events
  }
}

/** Whether an event has told of a fact: it was pushed, or pulled before its webhook was due. */
export function isTelling(
  { subscription, hasKey, receivedAt }: Pick<KnownEvent, 'subscription' | 'hasKey' | 'receivedAt'>,
  fact: ListedFact | undefined,
  lag: number,
): boolean {
  return subscription !== PULLED || hasKey || (fact !== undefined && receivedAt < fact.latest + lag)
}

/** What an event may be known by. */
interface Name {
  kind: string
  identity: string
}
