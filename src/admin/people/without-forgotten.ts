import type { ArchivedErasure } from '../../archive/erasures.ts'
import { type ArchivedEvent, archivedBody } from '../../archive/read.ts'
import { addTo, singly, sizeOf } from '../../domain/people/erasing/identities.ts'
import { createJoining } from '../../domain/people/erasing/joining.ts'
import { withoutNeedles } from '../../domain/people/erasing/needles.ts'
import {
  type Identities,
  identitiesOf,
  type PersonNode,
  personNodesOf,
} from '../../domain/people/erasing/person-nodes.ts'
import { type Forgotten, rewriteJson, withoutIds } from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import { forgottenOf } from './erase.ts'
import { keysOfNode } from './erased-keys.ts'
import { tokenOf } from './proof.ts'

/**
 * An event of the archive without those who were forgotten since: as it would stand in the store. Whom an erasure is of, the event
 * itself says: what its payload calls people by is hashed as the proof has it.
 */
export async function withoutForgotten(
  store: Pick<Store, 'hashedKeys'>,
  event: ArchivedEvent,
  erasures: readonly ArchivedErasure[],
): Promise<ArchivedEvent> {
  let left = event
  for (const erasure of erasures) {
    const meant = await meantBy(store, left, new Set(erasure.keys))
    if (meant !== null) left = rewritten(left, whoIs(left, meant, tokenOf(erasure)))
  }
  return left
}

/** The people whom an erasure means in an event: what they are called by there, and where that stands. */
interface Meant {
  asked: Identities
  nodes: PersonNode[]
}

/** Null: the event speaks of nobody whose hash is among these. */
async function meantBy(
  store: Pick<Store, 'hashedKeys'>,
  event: ArchivedEvent,
  keys: ReadonlySet<string>,
): Promise<Meant | null> {
  const asked: Identities = { customerIds: [], emails: [], phones: [] }
  const nodes = new Set<PersonNode>()
  for (const node of nodesOf(event))
    for (const one of singly(identitiesOf(node))) {
      const hashes = await store.hashedKeys(keysOfNode(one, node))
      if (!hashes.some((hash) => keys.has(hash))) continue
      nodes.add(node)
      addTo(asked, one)
    }
  return nodes.size === 0 ? null : { asked, nodes: [...nodes] }
}

function whoIs(event: ArchivedEvent, { asked, nodes }: Meant, token: string): Forgotten {
  const joining = createJoining(asked)
  // First those who are meant: somebody else with the same number may stand before them.
  for (const node of nodes) joining.join(node)
  const all = nodesOf(event)
  for (let before = -1; before !== sizeOf(joining.own); ) {
    before = sizeOf(joining.own)
    for (const node of all) joining.join(node)
  }
  return forgottenOf({ person: joining.person() }, token)
}

function rewritten(event: ArchivedEvent, who: Forgotten): ArchivedEvent {
  const body = archivedBody(event)
  const text = body && rewriteJson(body.toString('utf8'), event.kind, who, true)
  const { body: _, ...rest } = event
  return { ...(inTexts(rest, who) as ArchivedEvent), body: text === null ? null : { text } }
}

/** Every text of it, however deep: names put together of ids as well. */
function inTexts(value: unknown, who: Forgotten): unknown {
  if (typeof value === 'string') return withoutNeedles(withoutIds(value, who), who.needles, who.token, true)
  if (Array.isArray(value)) return value.map((one) => inTexts(one, who))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inTexts(inner, who)]))
}

function nodesOf(event: ArchivedEvent) {
  return personNodesOf(event.kind, payloadOrNull(archivedBody(event)))
}
