import { idsOfOrder, type Link } from '../domain/orders/link.ts'
import { orderNumberOf } from '../domain/orders/order-facts.ts'
import {
  type ErasedCustomer,
  NOTICE_KEYS,
  type Notice,
  namedKey,
  PERSON_FORGOTTEN,
  seal,
} from '../domain/privacy/notice.ts'
import { platformIdsOf } from '../domain/privacy/resolution.ts'
import { DIRECTORY, MIRROR, PLATFORM } from '../domain/queue/event.ts'
import { codeOf } from '../domain/queue/search-keys.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { DeliveryRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import type { DataSubject } from './person.ts'

const MAX_EVENTS = 100

export interface NoticeRow {
  destination: string
  delivery: number
  state: DeliveryRow['state']
}

/** Notifies destinations by an event whose content is sealed per destination, with the keys stored separately. Accepted before rows are rewritten. Null: no destination can be notified. */
export async function giveNotice(
  storage: Pick<Storage, 'links' | 'find'>,
  { accept }: Pick<Inbox, 'accept'>,
  known: DataSubject,
  { notified, pseudonym, now }: { notified: readonly NotifiedSystem[]; pseudonym: string; now: Instant },
): Promise<number | null> {
  const before = await storage.find([{ sort: 'id', value: codeOf(pseudonym) }], MAX_EVENTS)
  const given = before.find(({ event }) => event.kind === PERSON_FORGOTTEN)
  // An interrupted erasure has notified them.
  if (given) return given.event.id
  const sealed: Notice['sealed'] = {}
  const links: Link[] = []
  for (const system of notified.filter(({ byHub }) => byHub)) {
    const { destination } = system
    const one = seal(await erasedBy(storage, known, system, pseudonym))
    sealed[destination] = one.sealed
    links.push({ ...NOTICE_KEYS, destination, theirId: namedKey(pseudonym, one.key) })
  }
  if (links.length === 0) return null
  const body = Buffer.from(JSON.stringify({ person: pseudonym, sealed } satisfies Notice))
  const verdict = await accept({
    kind: PERSON_FORGOTTEN,
    origin: DIRECTORY,
    subscription: null,
    receivedAt: now,
    headers: {},
    // Found by it in jobs/retention/ageing.ts.
    transportKey: pseudonym,
    body,
    links,
    unreadable: null,
    intake: true,
  })
  return verdict.id
}

export async function noticeRows(storage: Pick<Storage, 'deliveries'>, event: number | null): Promise<NoticeRow[]> {
  if (event === null) return []
  const rows = await storage.deliveries({ event, limit: 500 })
  return rows.map(({ destination, id, state }) => ({ destination, delivery: id, state }))
}

/** Without shared identifiers. */
async function erasedBy(
  storage: Pick<Storage, 'links'>,
  { person, events }: DataSubject,
  { destination, theirIds }: NotifiedSystem,
  pseudonym: string,
): Promise<ErasedCustomer> {
  const { customerIds, extIds, emails } = person.alone
  const own = destination === PLATFORM ? platformIdsOf(person) : []
  const numbers = [...new Set(events.map(({ entity }) => orderNumberOf(entity)).filter((one) => one !== null))]
  const orders = await storage.links(destination, 'order', numbers.flatMap(idsOfOrder))
  return {
    pseudonym,
    customerIds: [...customerIds, ...extIds],
    theirIds: [...new Set([...theirIds, ...own])],
    emails,
    orders: [...new Set(orders.map(({ theirId }) => theirId))],
  }
}

/** A system that knows the person. */
export interface NotifiedSystem {
  destination: string
  /** Delivered events of the person; 0: the system sent them. */
  deliveries: number
  /** External ids. */
  theirIds: string[]
  /** False: an operator has to erase there. */
  byHub: boolean
}

const OWN = [DIRECTORY, MIRROR]

export async function notifiedSystems(
  storage: Pick<Storage, 'deliveries' | 'personalPage'>,
  { events, person: { customerIds, extIds, isLinked } }: DataSubject,
  canErase: (destination: string) => boolean,
): Promise<NotifiedSystem[]> {
  const notified = new Map<string, NotifiedSystem>()
  const systemOf = (destination: string) => {
    const fresh = () => ({ destination, deliveries: 0, theirIds: [], byHub: canErase(destination) })
    const system: NotifiedSystem = notified.get(destination) ?? fresh()
    notified.set(destination, system)
    return system
  }
  for (const { id, origin } of events) {
    if (!OWN.includes(origin)) systemOf(origin)
    for (const { destination, state } of await storage.deliveries({ event: id, limit: 500 }))
      if (state === 'delivered' && !OWN.includes(destination)) systemOf(destination).deliveries += 1
  }
  const { rows } = await storage.personalPage({ place: 'links', containing: [...customerIds, ...extIds], after: 0 })
  for (const { values } of rows) {
    const [destination = '', kind, id = '', theirId] = values.map(String)
    if (kind === 'customer' && theirId && isLinked(destination, id)) systemOf(destination).theirIds.push(theirId)
  }
  return [...notified.values()].sort((a, b) => a.destination.localeCompare(b.destination))
}
