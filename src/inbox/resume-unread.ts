import { orderUnread, UNKNOWN_WORD } from '../flows/order-unread.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import { UNREAD, unreadOf } from '../payloads/unread.ts'
import type { Owed } from '../store/owed.ts'
import type { Audit, DeliveryRow } from '../store/screens.ts'
import type { Store } from '../store/store.ts'
import { misfitOfSteps } from './names-that-fit.ts'
import { plannedAgain } from './reroute.ts'
import type { Route } from './route.ts'

interface Options {
  store: Pick<Store, 'owed' | 'deliveries' | 'delivery' | 'event' | 'owe' | 'retry' | 'skip' | 'now'>
  route: Route
  mappings: Mappings
  logger: Logger
  /** Aborted when the hub stops: the rest goes on at its next start. */
  signal: AbortSignal
}

const PAGE = 200

/** In place of a part: what is owed under the name that could not be read before. */
const READ_LATER = '~read-later'

/**
 * What was held because a field of its event could not be read goes on by itself once config says what that is called: at the
 * start of a hub. What can be read now may have a name that it had not when it was planned (the id of a transaction), by
 * which it is owed once, whatever event tells of it: then it is owed under that name, and the nameless one is skipped. So is news of an
 * order that nobody could read (`order-unread`), once it can be: its event owes what it says. How many went on.
 */
export async function resumeUnread({ store, route, mappings, logger, signal }: Options): Promise<number> {
  // Most hubs start with nothing open; to look closely takes a thread.
  if ((await store.owed()).every(({ open }) => open === 0)) return 0
  let resumed = 0
  let before: number | undefined
  while (!signal.aborted) {
    const page = await store.deliveries({ state: 'held', limit: PAGE, ...(before !== undefined && { before }) })
    for (const row of page.filter(isUnread)) if (!signal.aborted) resumed += await resume(row)
    before = page.at(-1)?.id
    if (page.length < PAGE) break
  }
  if (resumed > 0) logger.info({ deliveries: resumed }, 'deliveries.readable-now')
  return resumed

  /** How many go on. */
  async function resume({ id, event: eventId, flow, part, destination }: DeliveryRow): Promise<number> {
    const [event, delivery] = [await store.event(eventId), await store.delivery(id)]
    if (!event?.body || !delivery) return 0
    const planned = plannedAgain(event, event.body, mappings)
    if (unreadOf(event.kind, planned.payload).length > 0) return 0
    const owed = route(planned)
    if (misfitOfSteps(owed) !== null) return 0
    const isSame = (one: Owed) => one.flow === flow && one.part === part && one.destination === destination
    const same = owed.find(isSame)
    // The order's news is still in doubt, and an operator's to decide.
    if (same && flow === orderUnread.name) return 0
    if (same && (same.effect ?? null) === delivery.effect) {
      await store.retry({ id }, audit('its fields can be read now'), false)
      return 1
    }
    await store.owe(
      eventId,
      owed.map((one) => (isSame(one) ? { ...one, part: READ_LATER } : one)),
    )
    await store.skip({ id }, audit('its fields can be read now: it is owed under the name that they give it'))
    return 1
  }

  function audit(reason: string): Audit {
    return { at: store.now(), by: 'hub', reason, dryRun: false }
  }
}

/** Held for what could not be read, and for nothing else. */
function isUnread({ flow, code }: DeliveryRow): boolean {
  return code === UNREAD || (flow === orderUnread.name && code === UNKNOWN_WORD)
}
