import type { Link } from '../../domain/orders/link.ts'
import { orderNumberOf } from '../../domain/orders/order-entity.ts'
import { idsOfOrder } from '../../domain/orders/order-link.ts'
import {
  type ForgottenCustomer,
  NOTICE_KEYS,
  type Notice,
  namedKey,
  PERSON_FORGOTTEN,
  sealNotice,
} from '../../domain/people/erasing/notice.ts'
import { DIRECTORY, PLATFORM } from '../../domain/queue/event.ts'
import { codeOf } from '../../domain/queue/search-keys.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { DeliveryRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import type { Known } from './look.ts'
import type { ToldSystem } from './told.ts'

/** Among so many events that say a pseudonym the notice is looked for. */
const MOST = 100

/** How destinations are told to forget a person. */
export interface Telling {
  /** Whether a destination can be told, by its adapter and by config (`skip`). */
  canErase(destination: string): boolean
  accept: Inbox['accept']
}

/** A destination that is told to forget a person, by a delivery like any other. */
export interface NoticeRow {
  destination: string
  delivery: number
  state: DeliveryRow['state']
}

/**
 * Has destinations told, by an event that names nobody: what each has to know is sealed in it, and the keys lie apart. It is taken
 * before the rows are rewritten, so that an erasure that is cut off has told them all the same. The id of the event; null: nobody can
 * be told.
 */
export async function giveNotice(
  store: Pick<Store, 'links' | 'find'>,
  { accept }: Pick<Telling, 'accept'>,
  known: Known,
  { told, pseudonym, now }: { told: readonly ToldSystem[]; pseudonym: string; now: Instant },
): Promise<number | null> {
  const before = await store.find([{ sort: 'id', value: codeOf(pseudonym) }], MOST)
  const given = before.find(({ event }) => event.kind === PERSON_FORGOTTEN)
  // One that was cut off has told them.
  if (given) return given.event.id
  const sealed: Notice['sealed'] = {}
  const links: Link[] = []
  for (const system of told.filter(({ byHub }) => byHub)) {
    const { destination } = system
    const one = sealNotice(await forgottenBy(store, known, system, pseudonym))
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
    // By it the event is found again (jobs/people/notices.ts).
    transportKey: pseudonym,
    body,
    links,
    unreadable: null,
    intake: true,
  })
  return verdict.id
}

/** The deliveries of that event. */
export async function noticeRows(store: Pick<Store, 'deliveries'>, event: number | null): Promise<NoticeRow[]> {
  if (event === null) return []
  const rows = await store.deliveries({ event, limit: 500 })
  return rows.map(({ destination, id, state }) => ({ destination, delivery: id, state }))
}

/** What somebody else has as well names nobody there. */
async function forgottenBy(
  store: Pick<Store, 'links'>,
  { person, events }: Known,
  { destination, theirIds }: ToldSystem,
  pseudonym: string,
): Promise<ForgottenCustomer> {
  const { customerIds, emails } = person.alone
  const own = destination === PLATFORM ? person.platformIds : []
  const numbers = [...new Set(events.map(({ entity }) => orderNumberOf(entity)).filter((one) => one !== null))]
  const orders = await store.links(destination, 'order', numbers.flatMap(idsOfOrder))
  return {
    pseudonym,
    customerIds,
    theirIds: [...new Set([...theirIds, ...own])],
    emails,
    orders: [...new Set(orders.map(({ theirId }) => theirId))],
  }
}
