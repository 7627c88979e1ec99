import type { ClockName } from '../domain/health/hub-health.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Instant } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { EventRow, OverdueRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { bodiesById } from '../storage/walk-pages.ts'

/** A step that is over its time limit (`clocks` in config). */
export interface Late {
  clock: ClockName
  /** `order:A1`. */
  entity: string | null
  event: number
  kind: string
  /** Null: no destination does it. */
  delivery: number | null
  flow: string | null
  destination: string | null
  since: Instant
  why: string
}

/** (ms) */
export type Thresholds = Readonly<Record<ClockName, number>>

const MAX_ROWS = 500

const MAX_UNROUTED = 50

/** Oldest first. */
export async function readLate(
  storage: Pick<Storage, 'overdue' | 'failures' | 'events' | 'bodies'>,
  flows: readonly Flow[],
  thresholds: Thresholds,
  now: Instant,
): Promise<Late[]> {
  const timed = flows.flatMap(({ clock, ...flow }): Timed[] =>
    clock ? [{ ...flow, clock, before: now - thresholds[clock] }] : [],
  )
  const clocks = new Map(timed.map(({ name, clock }) => [name, clock]))
  const before = timed.map(({ name, before }) => ({ flow: name, before }))
  const overdue = await storage.overdue(before, MAX_ROWS)
  const pending = overdue.flatMap((row) => lateDelivery(row, clocks.get(row.flow)))
  const acting = timed.filter(({ message }) => !message)
  const unrouted = await readUnrouted(storage, acting)
  return [...pending, ...unrouted].sort((a, b) => a.since - b.since).slice(0, MAX_ROWS)
}

type Timed = Flow & { clock: ClockName; before: Instant }

function lateDelivery(row: OverdueRow, clock: ClockName | undefined): Late[] {
  // Another message reached the customer.
  if (!clock || (clock === 'reported' && row.reported)) return []
  const { entity, event, kind, id, flow, destination, receivedAt, state, why } = row
  const reason = why ?? (state === 'waiting' ? 'it waits for its turn' : state)
  return [{ clock, entity, event, kind, delivery: id, flow, destination, since: receivedAt, why: reason }]
}

/** Unrouted events for which a flow would plan steps. */
async function readUnrouted(
  storage: Pick<Storage, 'failures' | 'events' | 'bodies'>,
  timed: readonly Timed[],
): Promise<Late[]> {
  const kinds = new Set(timed.flatMap((flow) => (flow.kinds === 'all' ? [] : flow.kinds)))
  // Mostly none of them has any.
  const { events, cut } = await storage.failures()
  const unrouted = new Set(events.flatMap(({ cause, kind }) => (cause === 'unrouted' ? kind : [])))
  const asked = cut ? kinds : kinds.intersection(unrouted)
  const lists = await Promise.all(
    [...asked].map((kind) =>
      storage.events({ kind, state: 'unrouted', conflict: false, dismissed: false, limit: MAX_UNROUTED }),
    ),
  )
  const old = lists.flat().filter((row) => timed.some(({ before }) => row.receivedAt < before))
  const bodies = await bodiesById(storage, old)
  return old.flatMap((row): Late[] => {
    const body = bodies.get(row.id)
    const event = body && { ...row, payload: payloadOf({ body }) }
    const flow = event && timed.find(({ kinds, plan }) => kinds.includes(row.kind) && plan(event).length > 0)
    return flow && row.receivedAt < flow.before ? [lateEvent(row, flow)] : []
  })
}

function lateEvent({ id, entity, kind, receivedAt }: EventRow, { clock, name }: Timed): Late {
  const noDelivery = { delivery: null, flow: null, destination: null }
  return { clock, entity, event: id, kind, ...noDelivery, since: receivedAt, why: `no destination executes ${name}` }
}
