import { MIRROR_SETS, type MirrorSet } from '../../domain/catalogue/mirror.ts'
import { addTo, singly } from '../../domain/people/erasing/identities.ts'
import { emailOf, type Identities, identitiesOf, personNodesOf } from '../../domain/people/erasing/person-nodes.ts'
import { identitiesInName } from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import { withoutEnd } from '../../lib/http/without-end.ts'
import { partsOf } from '../../lib/parts.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import { searchKeysOfPerson } from './asked.ts'
import { nodeOf } from './look.ts'
import { nodesInMirror } from './mirrored.ts'

/** Sets of the mirror that are of goods alone, and large. */
const OF_GOODS = new Set<MirrorSet>(['stock', 'movements', 'sales-lines', 'products'])

/** The most events that are looked at, how many bodies are read at once, and how many rows of the directory. */
const MOST = 5_000
const PAGE = 100
const CUSTOMERS = 1_000

/** Signs that stand beside an address in a text of JSON, and in none. */
const BESIDE = /[\s"\\<>()[\],;:]/
const DOMAIN = /^[\p{L}\p{N}.-]*/u

/**
 * Whom hashes are of: the rows say it that they are found by, and those of the directory and the mirror, which no index has. Where a
 * payload has gone, the name of its event may say it.
 */
export async function identitiesUnder(
  store: Pick<Store, 'findHashed' | 'hashedKeys' | 'bodies' | 'customersPage' | 'mirrorPage'>,
  keys: readonly string[],
): Promise<Identities> {
  const wanted = new Set(keys)
  const found: Identities = { customerIds: [], emails: [], phones: [] }
  const events = await store.findHashed(keys, MOST)
  await take(events.flatMap(({ entity, identity }) => [entity, identity].map((name) => identitiesInName(name ?? ''))))
  for (const part of partsOf(events, PAGE)) {
    const page = new Map(part.map(({ id, kind }) => [id, kind]))
    const bodies = await store.bodies([...page.keys()])
    const nodes = bodies.flatMap(({ id, body }) => personNodesOf(page.get(id) ?? '', payloadOrNull(body)))
    await take(nodes.map(identitiesOf))
  }
  for (let after: number | null = 0; after !== null; ) {
    const rows = await store.customersPage(after, CUSTOMERS)
    await take(rows.map((row) => identitiesOf(nodeOf(row))))
    after = rows.length < CUSTOMERS ? null : (rows.at(-1)?.id ?? null)
  }
  for (const set of MIRROR_SETS.filter((one) => !OF_GOODS.has(one)))
    for await (const rows of mirrorPages(store, { set }))
      await take(rows.flatMap(({ body }) => identitiesInMirror(body)))
  return found

  async function take(identities: readonly Identities[]): Promise<void> {
    const said = identities.flatMap(singly)
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

/** Identities by which a row of the mirror may say somebody, in comments, too. */
function identitiesInMirror(body: Readonly<Record<string, unknown>>): Identities[] {
  const emails = JSON.stringify(body)
    .split(BESIDE)
    .flatMap((word) => addressIn(word) ?? [])
  return [...nodesInMirror(body).map(identitiesOf), { customerIds: [], emails: emails.map(emailOf), phones: [] }]
}

/** The address in a word, without the marks of a sentence behind it. */
function addressIn(word: string): string | null {
  const at = word.lastIndexOf('@')
  const [domain = ''] = DOMAIN.exec(word.slice(at + 1)) ?? []
  const named = withoutEnd(domain, /[.-]/)
  return at < 1 || named === '' ? null : word.slice(0, at + 1) + named
}
