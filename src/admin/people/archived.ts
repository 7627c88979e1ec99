import type { ArchivedErasure } from '../../archive/erasures.ts'
import { type ArchivedEvent, archivedBody } from '../../archive/read.ts'
import {
  addTo,
  type Identifiers,
  identifiersOf,
  noIdentifiers,
  personNodesOf,
  singly,
} from '../../domain/people/erasing/person-nodes.ts'
import { resolvePerson } from '../../domain/people/erasing/resolution.ts'
import {
  type Erasing,
  rewriteJson,
  tokenIn,
  withoutIds,
  withoutMentions,
} from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import { keysOfIdentifiers } from './asked.ts'
import { erasingOf } from './erase.ts'

/**
 * An event of the archive without those who were erased since: as it would stand in the store. Whom an erasure is of, the event
 * itself says: the identifiers in its payload are hashed as the proof has them.
 */
export async function withoutErased(
  store: Pick<Store, 'hashedKeys'>,
  event: ArchivedEvent,
  erasures: readonly ArchivedErasure[],
): Promise<ArchivedEvent> {
  let left = event
  for (const erasure of erasures) {
    const meant = await meantBy(store, left, new Set(erasure.keys))
    if (meant === null) continue
    const person = resolvePerson(meant, nodesOf(left))
    left = rewritten(left, erasingOf({ person }, tokenIn(erasure.pseudonym)))
  }
  return left
}

/** The identifiers in an event whose hashes these are; null: it speaks of nobody whom they mean. */
async function meantBy(
  store: Pick<Store, 'hashedKeys'>,
  event: ArchivedEvent,
  keys: ReadonlySet<string>,
): Promise<Identifiers | null> {
  const meant = noIdentifiers()
  for (const one of nodesOf(event).flatMap((node) => singly(identifiersOf(node)))) {
    const hashes = await store.hashedKeys(keysOfIdentifiers(one))
    if (hashes.some((hash) => keys.has(hash))) addTo(meant, one)
  }
  return singly(meant).length === 0 ? null : meant
}

function rewritten(event: ArchivedEvent, who: Erasing): ArchivedEvent {
  const body = archivedBody(event)
  const text = body && rewriteJson(body.toString('utf8'), event.kind, who, true)
  const { body: _, ...rest } = event
  return { ...(inTexts(rest, who) as ArchivedEvent), body: text === null ? null : { text } }
}

/** Every text of it, however deep: names put together of ids as well. */
function inTexts(value: unknown, who: Erasing): unknown {
  if (typeof value === 'string') return withoutMentions(withoutIds(value, who), who)
  if (Array.isArray(value)) return value.map((one) => inTexts(one, who))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inTexts(inner, who)]))
}

function nodesOf(event: ArchivedEvent) {
  return personNodesOf(event.kind, payloadOrNull(archivedBody(event)))
}
