import type { DeliveryRow, EventRow } from '../../../src/storage/rows.ts'
import { nameOfEvent, type Side, sorted } from './acts.ts'
import { DESTINATIONS, LINKED } from './world.ts'

/** All that operators see; of the newest events their bodies and attempts, too. */
export async function look(side: Side) {
  const { the, events, submissions, claims } = side
  const { storage } = the
  const name = (id: number | null) => nameOfEvent(side, id)
  const row = ({ id: _, event, why, ...more }: DeliveryRow) => ({ ...more, event: name(event), why: named(why, side) })
  const one = ({ id, conflictWith, sameKeyAs, ...more }: EventRow) => ({
    ...{ ...more, id: name(id), conflictWith: name(conflictWith), sameKeyAs: name(sameKeyAs) },
  })
  const links = await Promise.all(DESTINATIONS.map((destination) => storage.links(destination, 'order', LINKED)))
  return {
    deliveries: inAnyOrder((await storage.deliveries({ limit: 10_000 })).map(row)),
    events: (await storage.events({ limit: 10_000 })).map(one),
    newest: await Promise.all(events.slice(-2).map((id) => eventOf(side, id))),
    status: claims.size === 0 ? await storage.status() : null,
    submissions: claims.size === 0 ? await Promise.all(submissions.map((id) => submissionOf(side, id))) : null,
    pending: inAnyOrder(await storage.pending()),
    links: links.map(inAnyOrder),
  }
}

async function submissionOf(side: Side, id: number) {
  const { storage } = side.the
  const detail = await storage.submission(id)
  const items = await storage.submissionItems(id, { states: ['dead', 'held', 'delivered', 'superseded'], limit: 100 })
  return [
    detail && { ...detail, id: null, states: inAnyOrder(detail.states) },
    inAnyOrder(
      items.map(({ event, delivery: _, why, ...item }) => ({
        ...{ ...item, event: nameOfEvent(side, event), why: named(why, side) },
      })),
    ),
  ]
}

async function eventOf(side: Side, id: number) {
  const { storage } = side.the
  const event = await storage.event(id)
  if (!event) return null
  const details = await Promise.all(event.deliveries.map((one) => storage.delivery(one.id)))
  return {
    body: event.body && Buffer.from(event.body).toString(),
    headers: event.headers,
    acts: event.audit.map(({ action, at }) => [action, at]),
    deliveries: details
      .map((one) => [one?.flow, one?.part, one?.destination, one?.attempts, one?.effect, one?.released])
      .map((said) => named(JSON.stringify(said), side))
      .sort(),
  }
}

/** Events by their names, where a text tells of them. */
function named(text: string | null, { events }: Side): string | null {
  return text?.replace(/(?<=by event )\d+/g, (id) => String(events.indexOf(Number(id)))) ?? null
}

function inAnyOrder<T>(some: readonly T[]): T[] {
  return sorted(some, (one) => JSON.stringify(one))
}
