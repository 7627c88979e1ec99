import { MIRROR_SETS, type MirrorSet } from '../../domain/catalogue/mirror.ts'
import {
  addTo,
  emailOf,
  type Identifiers,
  identifiersOf,
  noIdentifiers,
  personNodesOf,
  singly,
} from '../../domain/people/erasing/person-nodes.ts'
import { identifiersInName } from '../../domain/people/erasing/rewriting.ts'
import { payloadOrNull } from '../../domain/queue/event.ts'
import { partsOf } from '../../lib/collections.ts'
import { withoutEnd } from '../../lib/http/url.ts'
import type { Store } from '../../store/store.ts'
import { mirrorPages } from '../../store/walk-pages.ts'
import { keysOfIdentifiers } from './asked.ts'
import { nodeOf } from './look.ts'
import { nodesInMirror } from './mirror-rows.ts'

/** Sets of the mirror that are of goods alone, and large. */
const OF_GOODS = new Set<MirrorSet>(['stock', 'movements', 'sales-lines', 'products'])

/** The most events that are looked at, how many bodies are read at once, and how many rows of the directory. */
const MAX_EVENTS = 5_000
const PAGE = 100
const CUSTOMERS = 1_000

/** Signs that stand beside an address in a text of JSON, and in none. */
const BESIDE = /[\s"\\<>()[\],;:]/
const DOMAIN = /^[\p{L}\p{N}.-]*/u

/**
 * Whom hashes are of: the rows say it that they are found by, and those of the directory and the mirror, which no index has. Where a
 * payload has gone, the name of its event may say it.
 */
export async function identifiersUnder(
  store: Pick<Store, 'findHashed' | 'hashedKeys' | 'bodies' | 'customersPage' | 'mirrorPage'>,
  keys: readonly string[],
): Promise<Identifiers> {
  const wanted = new Set(keys)
  const found = noIdentifiers()
  const events = await store.findHashed(keys, MAX_EVENTS)
  await take(events.flatMap(({ entity, identity }) => [entity, identity].map((name) => identifiersInName(name ?? ''))))
  for (const part of partsOf(events, PAGE)) {
    const page = new Map(part.map(({ id, kind }) => [id, kind]))
    const bodies = await store.bodies([...page.keys()])
    const nodes = bodies.flatMap(({ id, body }) => personNodesOf(page.get(id) ?? '', payloadOrNull(body)))
    await take(nodes.map(identifiersOf))
  }
  for (let after: number | null = 0; after !== null; ) {
    const rows = await store.customersPage(after, CUSTOMERS)
    await take(rows.map((row) => identifiersOf(nodeOf(row))))
    after = rows.length < CUSTOMERS ? null : (rows.at(-1)?.id ?? null)
  }
  for (const set of MIRROR_SETS.filter((one) => !OF_GOODS.has(one)))
    for await (const rows of mirrorPages(store, { set }))
      await take(rows.flatMap(({ body }) => identifiersInMirror(body)))
  return found

  async function take(identifiers: readonly Identifiers[]): Promise<void> {
    const said = identifiers.flatMap(singly)
    const those = said.map((one) => ({ one, keys: keysOfIdentifiers(one) }))
    const hashes = await store.hashedKeys(those.flatMap((one) => one.keys))
    let at = 0
    for (const { one, keys: its } of those) {
      const isWanted = hashes.slice(at, at + its.length).some((hash) => wanted.has(hash))
      at += its.length
      if (isWanted) addTo(found, one)
    }
  }
}

/** Identifiers by which a row of the mirror may say somebody, in comments, too. */
function identifiersInMirror(body: Readonly<Record<string, unknown>>): Identifiers[] {
  const emails = JSON.stringify(body)
    .split(BESIDE)
    .flatMap((word) => addressIn(word) ?? [])
  return [...nodesInMirror(body).map(identifiersOf), { ...noIdentifiers(), emails: emails.map(emailOf) }]
}

/** The address in a word, without the marks of a sentence behind it. */
function addressIn(word: string): string | null {
  const at = word.lastIndexOf('@')
  const [domain = ''] = DOMAIN.exec(word.slice(at + 1)) ?? []
  const named = withoutEnd(domain, /[.-]/)
  return at < 1 || named === '' ? null : word.slice(0, at + 1) + named
}
