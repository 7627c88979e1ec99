import type { ArchivedErasure } from '../../archive/erasures.ts'
import { type ArchivedEvent, archivedBody } from '../../archive/read.ts'
import { sizeOf } from '../../domain/people/erasing/identities.ts'
import { createJoining } from '../../domain/people/erasing/joining.ts'
import { withoutNeedles } from '../../domain/people/erasing/needles.ts'
import { type Identities, identitiesOf, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { type Forgotten, rewriteJson, withoutIds } from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import { searchKeysOfPerson } from './asked.ts'
import { forgottenOf } from './erase.ts'
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
    const asked = await meantBy(store, left, new Set(erasure.keys))
    if (asked !== null) left = rewritten(left, whoIs(left, asked, tokenOf(erasure)))
  }
  return left
}

/** What the event calls somebody by whose hash is among these; null: it speaks of nobody of them. */
async function meantBy(
  store: Pick<Store, 'hashedKeys'>,
  event: ArchivedEvent,
  keys: ReadonlySet<string>,
): Promise<Identities | null> {
  const found: Identities = { customerIds: [], emails: [], phones: [] }
  let isAny = false
  for (const node of nodesOf(event))
    for (const name of ['customerIds', 'emails', 'phones'] as const)
      for (const value of identitiesOf(node)[name]) {
        const one = { customerIds: [], emails: [], phones: [], [name]: [value] }
        const hashes = await store.hashedKeys(searchKeysOfPerson(one))
        if (!hashes.some((hash) => keys.has(hash))) continue
        isAny = true
        found[name].push(value)
      }
  return isAny ? found : null
}

function whoIs(event: ArchivedEvent, asked: Identities, token: string): Forgotten {
  const joining = createJoining(asked)
  const nodes = nodesOf(event)
  for (let before = -1; before !== sizeOf(joining.own); ) {
    before = sizeOf(joining.own)
    for (const node of nodes) joining.join(node)
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
