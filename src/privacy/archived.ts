import { type ArchivedEvent, archivedBody } from '../archive/archived-events.ts'
import type { ArchivedErasure } from '../archive/erasures.ts'
import { MIRROR_SETS, type MirrorSet } from '../domain/catalogue/mirror.ts'
import {
  addTo,
  emailOf,
  type Identifiers,
  identifiersOf,
  noIdentifiers,
  personNodesOf,
  singly,
} from '../domain/privacy/person-nodes.ts'
import { resolvePerson } from '../domain/privacy/resolution.ts'
import {
  type Erasing,
  identifiersInName,
  rewriteJson,
  tokenIn,
  withoutIds,
  withoutMentions,
} from '../domain/privacy/rewriting.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { partsOf } from '../lib/collections.ts'
import { withoutEnd } from '../lib/http/url.ts'
import type { Storage } from '../storage/storage.ts'
import { mirrorPages } from '../storage/walk-pages.ts'
import { erasingOf } from './erase.ts'
import { keysOfIdentifiers, nodesInMirror } from './identifiers.ts'
import { nodeOf } from './look.ts'

/** Erasures repeated on archived events and restored backups, by hashed identifiers. */

export async function withoutErased(
  storage: Pick<Storage, 'hashedKeys'>,
  event: ArchivedEvent,
  erasures: readonly ArchivedErasure[],
): Promise<ArchivedEvent> {
  let left = event
  for (const { keys, pseudonym } of erasures) {
    const meant = noIdentifiers()
    for (const its of nodesOf(left).map(identifiersOf)) await addHashed(storage, [its], new Set(keys), meant)
    if (singly(meant).length > 0)
      left = rewritten(left, erasingOf({ person: resolvePerson(meant, nodesOf(left)) }, tokenIn(pseudonym)))
  }
  return left
}

function rewritten(event: ArchivedEvent, who: Erasing): ArchivedEvent {
  const body = archivedBody(event)
  const text = body && rewriteJson(body.toString('utf8'), event.kind, who, true)
  const { body: _, ...rest } = event
  return { ...(inTexts(rest, who) as ArchivedEvent), body: text === null ? null : { text } }
}

function inTexts(value: unknown, who: Erasing): unknown {
  if (typeof value === 'string') return withoutMentions(withoutIds(value, who), who)
  if (Array.isArray(value)) return value.map((one) => inTexts(one, who))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inTexts(inner, who)]))
}

function nodesOf(event: ArchivedEvent) {
  return personNodesOf(event.kind, payloadOrNull(archivedBody(event)))
}

/** Large sets without people. */
const OF_GOODS = new Set<MirrorSet>(['stock', 'movements', 'sales-lines', 'products'])

const MAX_EVENTS = 5_000
const PAGE = 100
const CUSTOMERS = 1_000

/** Identifiers whose hashes a proof has, in events (names and payloads), the directory and the read model. */
export async function identifiersUnder(
  storage: Pick<Storage, 'findHashed' | 'hashedKeys' | 'bodies' | 'customersPage' | 'mirrorPage'>,
  keys: readonly string[],
): Promise<Identifiers> {
  const wanted = new Set(keys)
  const found = noIdentifiers()
  const take = (said: readonly Identifiers[]) => addHashed(storage, said, wanted, found)
  const events = await storage.findHashed(keys, MAX_EVENTS)
  await take(events.flatMap(({ entity, identity }) => [entity, identity].map((name) => identifiersInName(name ?? ''))))
  for (const part of partsOf(events, PAGE)) {
    const kinds = new Map(part.map(({ id, kind }) => [id, kind]))
    const bodies = await storage.bodies([...kinds.keys()])
    const nodes = bodies.flatMap(({ id, body }) => personNodesOf(kinds.get(id) ?? '', payloadOrNull(body)))
    await take(nodes.map(identifiersOf))
  }
  for (let after: number | null = 0; after !== null; ) {
    const rows = await storage.customersPage(after, CUSTOMERS)
    await take(rows.map((row) => identifiersOf(nodeOf(row))))
    after = rows.length < CUSTOMERS ? null : (rows.at(-1)?.id ?? null)
  }
  for (const set of MIRROR_SETS.filter((one) => !OF_GOODS.has(one)))
    for await (const rows of mirrorPages(storage, { set }))
      await take(rows.flatMap(({ body }) => identifiersInMirror(body)))
  return found
}

async function addHashed(
  storage: Pick<Storage, 'hashedKeys'>,
  said: readonly Identifiers[],
  wanted: ReadonlySet<string>,
  found: Identifiers,
): Promise<void> {
  const each = said.flatMap(singly).map((one) => ({ one, keys: keysOfIdentifiers(one) }))
  const hashes = await storage.hashedKeys(each.flatMap(({ keys }) => keys))
  let at = 0
  for (const { one, keys } of each) {
    const isWanted = hashes.slice(at, at + keys.length).some((hash) => wanted.has(hash))
    at += keys.length
    if (isWanted) addTo(found, one)
  }
}

/** Comments name people, too. */
function identifiersInMirror(body: Readonly<Record<string, unknown>>): Identifiers[] {
  const emails = JSON.stringify(body)
    .split(BESIDE)
    .flatMap((word) => addressIn(word) ?? [])
  return [...nodesInMirror(body).map(identifiersOf), { ...noIdentifiers(), emails: emails.map(emailOf) }]
}

const BESIDE = /[\s"\\<>()[\],;:]/
const DOMAIN = /^[\p{L}\p{N}.-]*/u

/** Without punctuation behind it. */
function addressIn(word: string): string | null {
  const at = word.lastIndexOf('@')
  const [domain = ''] = DOMAIN.exec(word.slice(at + 1)) ?? []
  const named = withoutEnd(domain, /[.-]/)
  return at < 1 || named === '' ? null : word.slice(0, at + 1) + named
}
