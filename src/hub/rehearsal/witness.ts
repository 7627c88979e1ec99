import { join } from 'node:path'
import { readBook } from '../../adapters/shadow/book.ts'
import { deliveryKey, PLATFORM } from '../../domain/queue/event.ts'
import type { OwedThere, Performed, Witnessed } from '../../domain/rehearsal/witnessed.ts'
import type { Flow } from '../../flows/flow.ts'
import { flows } from '../../flows/index.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'
import type { DeliveryRow, EventRow } from '../../store/screens.ts'

const PAGE = 500

/** The file in which the shadow of a destination writes. */
export function bookFile(folder: string, destination: string): string {
  return join(folder, `${destination}.effects`)
}

/** Reads what there is of a rehearsal when it is over: the store of its hub, and the books of its shadows. */
export async function readWitness(
  reading: Pick<StoreReading, 'events' | 'event' | 'deliveries' | 'delivery'>,
  folder: string,
  destinations: Witnessed['destinations'],
): Promise<Pick<Witnessed, 'events' | 'owed' | 'performed' | 'destinations'>> {
  const rows = await allEvents(reading)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const flowsByName = new Map<string, Flow>(flows.map((flow) => [flow.name, flow]))
  const owed: OwedThere[] = []
  const now = Date.now()
  for (let before: number | null = null; ; ) {
    const page: DeliveryRow[] = await reading.deliveries({ limit: PAGE, ...(before !== null && { before }) })
    for (const row of page) {
      const event = byId.get(row.event)
      if (event) owed.push(await owedOf(row, event))
    }
    before = page.at(-1)?.id ?? null
    if (page.length < PAGE) break
  }
  const performed = destinations.flatMap(({ name }) =>
    readBook(bookFile(folder, name)).map((line): Performed => ({ destination: name, ...line })),
  )
  const events = new Map(
    rows
      .filter(({ origin }) => origin === PLATFORM)
      .map(({ id, transportKey, revision }) => [id, { certain: transportKey !== null || revision === 0 }]),
  )
  return { events, owed, performed, destinations }

  async function owedOf({ id, flow: name, part, ...row }: DeliveryRow, event: EventRow): Promise<OwedThere> {
    const flow = flowsByName.get(name)
    // Only what happens once has a name of its own.
    const effect = flow?.once ? ((await reading.delivery(id))?.effect ?? null) : null
    const key = deliveryKey({ ...event, bodyHash: await hashOf(event) }, name, part, effect)
    const { destination, urgency, entity, state, code } = row
    const later = isLater(row, now)
    const once = flow?.once === true && flow.onUnknown !== 'repeat'
    return {
      key,
      event: event.id,
      destination,
      urgency,
      entity,
      state,
      code,
      later,
      once,
      receivedAt: event.receivedAt,
    }
  }

  /** Part of the name of what nothing else tells apart. */
  async function hashOf({ id, identity, transportKey }: EventRow): Promise<string> {
    return identity === null && transportKey === null ? ((await reading.event(id))?.bodyHash ?? '') : ''
  }
}

/** Whether a delivery waits for a time that was planned: nothing has gone wrong with it. */
export function isLater({ state, tries, dueAt }: Pick<DeliveryRow, 'state' | 'tries' | 'dueAt'>, now: number): boolean {
  return state === 'waiting' && tries === 0 && dueAt > now + SOON
}

/** What is due within this is not waited for the close of a day (milliseconds). */
const SOON = 60_000

async function allEvents(reading: Pick<StoreReading, 'events'>): Promise<EventRow[]> {
  const rows: EventRow[] = []
  for (let after = 0; ; ) {
    const page = await reading.events({ after, limit: PAGE })
    rows.push(...page)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return rows
    after = last.id
  }
}
