import { effectAgain, partAgain, partOf, repeats } from '../domain/queue/delivery.ts'
import { UserError } from '../domain/values/errors.ts'
import { utcDay } from '../domain/values/instant.ts'
import type { Flow } from '../flows/flow.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import type { NewDelivery } from '../storage/arrival.ts'
import type { CommandSlice, DeliveryDetail, DeliveryRow, EventDetail, EventRow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { configIssueOfSteps } from './parse.ts'
import { plannedAgain, type Walked, walkEvents } from './reroute.ts'
import type { Route } from './route.ts'

export interface AgainAsked {
  destination: string
  /** `yyyy-mm-dd`, both included. */
  from: string
  to: string
  flows: readonly string[] | null
}

export interface BookedAgain extends Walked {
  records: number
  days: Record<string, Record<string, number>>
  /** Pruned; some may be of neighbouring days. */
  left: number
  /** Late and pruned: their day is unknown. */
  undated: number
  /** By today's config, or with too long a name. */
  unplanned: number
  /** By the interrupted run that is continued. */
  before: number
  act: number | null
}

const DAY = 86_400_000

const LATE_DAYS = 14

/** Each record as a new delivery under its original key. `act` null: count only. `goOn`: an interrupted run. */
export async function bookAgain(
  { storage, route, flows, mappings }: Tools,
  asked: AgainAsked,
  { act, part, goOn }: { act: number | null; part?: CommandSlice; goOn?: number },
): Promise<BookedAgain> {
  const { destination, from, to } = asked
  const booking = new Map(
    flows
      .filter(({ port, name }) => port === 'backOffice' && (asked.flows?.includes(name) ?? true))
      .map((flow) => [flow.name, flow]),
  )
  const days: BookedAgain['days'] = {}
  const result = { records: 0, days, left: 0, undated: 0, unplanned: 0, before: 0, act }
  // No upper bound: a POS may be offline for weeks.
  const window = { since: Date.parse(from) - DAY }
  const lateFrom = Date.parse(to) + LATE_DAYS * DAY
  const walked = await walkEvents(storage, window, part, async (page) => {
    for (const row of page) if (mayBeBooked(row)) await one(row)
  })
  return { ...result, ...walked }

  function mayBeBooked({ kind, state }: EventRow): boolean {
    return state === 'routed' && [...booking.values()].some(({ kinds }) => kinds === 'all' || kinds.includes(kind))
  }

  async function one({ id }: EventRow): Promise<void> {
    const event = await storage.event(id)
    if (!event) return
    const given = event.deliveries.filter(wasGiven)
    if (given.length === 0) return
    if (event.body === null) {
      if (event.receivedAt < lateFrom) result.left += given.length
      else result.undated += given.length
      return
    }
    const planned = plannedAgain(event, event.body, mappings)
    const steps = route(planned)
    const pending: NewDelivery[] = []
    for (const delivery of given) {
      const step = steps.find(
        (each) => each.destination === destination && each.flow === delivery.flow && each.part === delivery.part,
      )
      const day = dayOf(booking.get(delivery.flow), planned, delivery.part) ?? utcDay(event.receivedAt)
      if (day < from || day > to) continue
      if (!step || configIssueOfSteps([step]) !== null) {
        result.unplanned += 1
        continue
      }
      if (hasRepeated(goOn, delivery, event)) {
        result.before += 1
        continue
      }
      count(day, delivery.flow)
      if (act !== null) pending.push(repeatOf(step, delivery, event, (await storage.delivery(delivery.id))?.released))
    }
    if (act !== null && pending.length > 0) await storage.enqueue(id, pending, act)
  }

  function wasGiven(delivery: DeliveryRow): boolean {
    const { flow, part: own, state } = delivery
    return delivery.destination === destination && state === 'delivered' && booking.has(flow) && partOf(own) === own
  }

  function count(day: string, flow: string): void {
    result.records += 1
    days[day] ??= {}
    const flowsOfDay = days[day]
    flowsOfDay[flow] = (flowsOfDay[flow] ?? 0) + 1
  }
}

interface Tools {
  storage: Pick<Storage, 'events' | 'event' | 'delivery' | 'enqueue'>
  route: Route
  flows: readonly Flow[]
  mappings: Mappings
}

function hasRepeated(act: number | undefined, { id }: DeliveryRow, { deliveries, audit }: EventDetail): boolean {
  return deliveries.some(
    (each) => repeats(each.part, id) && audit.some((entry) => entry.act === act && entry.delivery === each.id),
  )
}

function dayOf(flow: Flow | undefined, event: Parameters<Flow['plan']>[0], part: string): string | null {
  const step = flow?.plan(event).find((one) => one.part === part)
  return /^\d{4}-\d{2}-\d{2}/.exec(step?.at ?? '')?.[0] ?? null
}

export function repeatOf(
  step: NewDelivery,
  delivery: Pick<DeliveryRow, 'id' | 'part'>,
  event: Pick<EventDetail, 'deliveries'>,
  released: DeliveryDetail['released'] | undefined,
): NewDelivery {
  const times = event.deliveries.filter((each) => repeats(each.part, delivery.id)).length
  const part = partAgain(delivery, times)
  return {
    ...step,
    part,
    entity: null,
    effect: step.effect == null ? null : effectAgain(step.effect, part),
    keyByNumber: null,
    ...(released && { released }),
    yields: true,
  }
}

interface ResendTools {
  storage: Pick<Storage, 'event'>
  route: Route
  mappings: Mappings
}

export async function resendOf(
  delivery: DeliveryDetail,
  { storage, route, mappings }: ResendTools,
): Promise<NewDelivery> {
  const { id, destination, flow, part, released } = delivery
  const event = await storage.event(delivery.event)
  if (!event?.body) throw new UserError(`Delivery ${id} cannot be made again: its payload is not kept any more.`)
  const steps = route(plannedAgain(event, event.body, mappings))
  const step = steps.find((one) => one.destination === destination && one.flow === flow && one.part === partOf(part))
  if (!step)
    throw new UserError(
      `Delivery ${id} cannot be made again: today's config gives "${destination}" nothing of ${flow}.`,
    )
  const configIssue = configIssueOfSteps([step])
  if (configIssue !== null) throw new UserError(`Delivery ${id} cannot be made again: ${configIssue}.`)
  return repeatOf(step, delivery, event, released)
}
