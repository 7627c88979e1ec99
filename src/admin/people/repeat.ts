import { addTo, singly } from '../../domain/people/erasing/identities.ts'
import {
  type Identities,
  identitiesOf,
  type PersonNode,
  personNodesOf,
} from '../../domain/people/erasing/person-nodes.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import type { Store } from '../../store/store.ts'
import { searchKeysOfPerson } from './asked.ts'
import { nodeOf } from './look.ts'

/** The most events that are looked at, how many bodies are read at once, and how many rows of the directory. */
const MOST = 5_000
const PAGE = 100
const CUSTOMERS = 1_000

/** Whom hashes are of: the rows say it that they are found by, and those of the directory, which no index has. */
export async function identitiesUnder(
  store: Pick<Store, 'findHashed' | 'hashedKeys' | 'bodies' | 'customersPage'>,
  keys: readonly string[],
): Promise<Identities> {
  const wanted = new Set(keys)
  const found: Identities = { customerIds: [], emails: [], phones: [] }
  const events = await store.findHashed(keys, MOST)
  for (let at = 0; at < events.length; at += PAGE) {
    const page = new Map(events.slice(at, at + PAGE).map(({ id, kind }) => [id, kind]))
    const bodies = await store.bodies([...page.keys()])
    await take(bodies.flatMap(({ id, body }) => personNodesOf(page.get(id) ?? '', payloadOrNull(body))))
  }
  for (let after: number | null = 0; after !== null; ) {
    const rows = await store.customersPage(after, CUSTOMERS)
    await take(rows.map(nodeOf))
    after = rows.length < CUSTOMERS ? null : (rows.at(-1)?.id ?? null)
  }
  return found

  async function take(nodes: readonly PersonNode[]): Promise<void> {
    const said = nodes.flatMap((node) => singly(identitiesOf(node)))
    const those = said.map((one) => ({ one, keys: searchKeysOfPerson(one) }))
    const hashes = await store.hashedKeys(those.flatMap((one) => one.keys))
    let at = 0
    for (const { one, keys: its } of those) {
      const isWanted = hashes.slice(at, at + its.length).some((hash) => wanted.has(hash))
      at += its.length
      if (isWanted) addTo(found, one)
    }
  }
}
