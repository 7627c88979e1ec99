import type { DeliveryRow, EventRow } from '../../../src/storage/rows.ts'
import { nameOfEvent, sorted, type Twin } from './twin.ts'
import { DESTINATIONS, LINKED } from './world.ts'

/** So many of the newest are looked at one by one. */
const CLOSELY = 2

/** All that people see. What waits, and what is out, is one: a claim may be in memory alone. */
export async function look(twin: Twin) {
  const { the, events, claims } = twin
  const { storage } = the
  const name = (id: number | null) => nameOfEvent(twin, id)
  const row = ({ id: _, event, state, why, ...more }: DeliveryRow) => ({
    ...{ ...more, event: name(event), state: state === 'claimed' ? 'waiting' : state },
    why: why && withNames(why, twin),
  })
  const one = ({ id, conflictWith, sameKeyAs, ...more }: EventRow) => ({
    ...{ ...more, id: name(id), conflictWith: name(conflictWith), sameKeyAs: name(sameKeyAs) },
  })
  const deliveries = (await storage.deliveries({ limit: 10_000 })).map(row)
  const links = await Promise.all(DESTINATIONS.map((destination) => storage.links(destination, 'order', LINKED)))
  return {
    deliveries: sorted(deliveries, ({ event, flow, part, destination }) =>
      JSON.stringify([event, flow, part, destination]),
    ),
    events: (await storage.events({ limit: 10_000 })).map(one),
    closely: await Promise.all(events.slice(-CLOSELY).map((id) => closely(twin, id))),
    status: claims.size === 0 ? await storage.status() : null,
    submissions: claims.size === 0 ? await Promise.all(twin.submissions.map((id) => submission(twin, id))) : null,
    pending: sorted(await storage.pending(), ({ destination }) => destination),
    links: links.map((some) => sorted(some, (link) => JSON.stringify(link))),
  }
}

async function submission(twin: Twin, id: number) {
  const { the, events } = twin
  const { storage } = the
  const detail = await storage.submission(id)
  const items = await storage.submissionItems(id, { states: ['dead', 'held', 'delivered', 'superseded'], limit: 100 })
  return [
    detail && { ...detail, id: null, states: sorted(detail.states, (one) => JSON.stringify(one)) },
    sorted(
      items.map(({ event, delivery: _, why, ...item }) => ({
        ...item,
        event: events.indexOf(event),
        why: why && withNames(why, twin),
      })),
      (item) => JSON.stringify(item),
    ),
  ]
}

/** An event with its body, and the tries of its deliveries. */
async function closely(twin: Twin, id: number) {
  const { storage } = twin.the
  const event = await storage.event(id)
  if (!event) return null
  const details = await Promise.all(event.deliveries.map((one) => storage.delivery(one.id)))
  return {
    body: event.body && Buffer.from(event.body).toString(),
    headers: event.headers,
    acts: event.audit.map(({ action, at }) => [action, at]),
    deliveries: sorted(
      details.map((one) =>
        withNames(
          JSON.stringify([one?.flow, one?.part, one?.destination, one?.attempts, one?.effect, one?.released]),
          twin,
        ),
      ),
      (one) => one,
    ),
  }
}

/** Events by their names, where a text tells of them. */
export function withNames(text: string, { events }: Twin): string {
  return text.replace(/(?<=by event )\d+/g, (id) => String(events.indexOf(Number(id))))
}
