import { z } from 'zod'
import { readRecipient } from '../domain/customers/customer-query.ts'
import { isAgain, partAgain, repeats } from '../domain/queue/delivery.ts'
import { payloadOrNull } from '../domain/queue/event.ts'
import { UserError } from '../domain/values/errors.ts'
import { formatInstant } from '../domain/values/instant.ts'
import { maskedAddress, notFoundText } from '../domain/values/text.ts'
import { type Flow, hasGuard } from '../flows/flow.ts'
import { type BookedAgain, bookAgain, resendOf } from '../ingest/book-again.ts'
import { customerIn, recipientIn } from '../platform/payloads/customer.ts'
import type { NewDelivery } from '../storage/arrival.ts'
import type { Changed, DeliveryDetail, DeliveryRow, PendingByFlow } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { allGaps } from '../storage/walk-pages.ts'
import {
  background,
  Day,
  DeliveryFilter,
  DeliverySelection,
  didYouMean,
  dryRun,
  type Hinted,
  hintOf,
  idIn,
  inOrder,
  MAX_LOOKED,
  page,
  pageOf,
  partly,
  Reason,
  refuseEverything,
  requireInOrder,
  requireReason,
  whole,
} from './asked.ts'
import type { AdminContext } from './context.ts'
import { change, get, inBackground, notFound, post, type Route } from './routes.ts'

export interface DeliveryList extends Hinted {
  deliveries: ListedDelivery[]
  /** Where the list continues, or may; null: at its end. */
  before: number | null
}

export interface ListedDelivery extends DeliveryRow {
  /** Recipient of a message, masked unless `reveal`; null: no message, or not known. */
  recipient: string | null
}

/** A repeated delivery of what its destination has lost. */
export interface Resent {
  /** Null: a dry run. */
  delivery: DeliveryRow | null
  again: number
  act: number | null
}

export interface SentAgain extends Resent {
  /** Masked. */
  to: string | null
}

export interface Moved extends Changed {
  /** Deliveries that stay: `to` has no such flow. Reported by the first part. */
  left: PendingByFlow[]
}

const Listed = inOrder(DeliveryFilter.extend({ ...page, reveal: z.stringbool().default(false) }))
const Selected = z.strictObject({ filter: DeliverySelection, ...partly })
const Retry = Selected.extend({ background, again: z.boolean().default(false) })
const Shown = z.strictObject({ reveal: z.stringbool().default(false) })
const Again = z.strictObject({ reason: Reason, dryRun })
const SendAgain = Again.extend({ to: z.string().max(254).optional() })
const Move = z.strictObject({
  from: z.string(),
  to: z.string(),
  flow: z.string().optional(),
  kind: z.string().optional(),
  ...partly,
})

const WHICH = ['destination', 'state', 'kind', 'flow', 'entity', 'event', 'code', 'since', 'until']

const ENDED = ['delivered', 'superseded', 'skipped', 'dead']

export function deliveryRoutes(context: AdminContext): Route[] {
  const { storage, flows, destinations, carriesOut, probe } = context
  const recipients = createRecipients({ storage, flows })
  const selected = { selection: DeliverySelection, which: WHICH }

  async function deliveryOf(id: string | undefined): Promise<DeliveryDetail> {
    const delivery = await storage.delivery(idIn(id, 'a delivery', 'deliveries list'))
    if (!delivery) throw notFound(notFoundText('delivery', String(id)))
    return delivery
  }

  async function enqueue({ event }: DeliveryDetail, step: NewDelivery, act: number): Promise<DeliveryRow | null> {
    await storage.enqueue(event, [step], act)
    return (await storage.event(event))?.deliveries.find(({ part }) => part === step.part) ?? null
  }

  /** A notice of erasure is sealed for its destination, and does not move. */
  function isFor(to: string, flow: Flow): boolean {
    return !hasGuard(flow, 'erasureNotice') && carriesOut(to, flow)
  }

  return [
    get('/deliveries', Listed, async ({ asked: { reveal, limit, ...filter }, note }): Promise<DeliveryList> => {
      if (reveal) await note({ action: 'reveal', selection: { deliveries: filter } })
      const found = await storage.lookForDeliveries({ ...filter, limit: limit + 1 }, MAX_LOOKED)
      const { rows, next } = pageOf(found, limit)
      const deliveries = await recipients.listed(rows, reveal)
      return { deliveries, before: next, hint: deliveries.length === 0 ? hintOf(filter, context) : null }
    }),

    post('/deliveries/retry', 'retry', Retry, async (call): Promise<Changed & Hinted> => {
      const { filter, again, background: isLong, ...how } = call.asked
      refuseEverything(filter, WHICH)
      const action = again ? 'retry again' : 'retry'
      if (isLong) {
        const dryRun = storage.retry(filter, await call.audit({ ...how, dryRun: true }, action), again)
        const begun = await inBackground(call, { action, filter, reason: how.reason }, dryRun)
        return { ...begun, hint: begun.matched === 0 ? hintOf(filter, context) : null }
      }
      const retried = await storage.retry(filter, await call.audit(how, action), again)
      // Probed at once; the answer does not wait for it.
      const tried = [filter.destination, ...retried.sample.map(({ destination }) => destination)]
      if (!how.dryRun) for (const name of new Set(tried)) if (name !== undefined) void probe(name)
      return { ...retried, hint: retried.matched === 0 ? hintOf(filter, context) : null }
    }),
    change(context, '/deliveries/skip', 'skip', selected, storage.skip),
    change(context, '/deliveries/release', 'release', selected, storage.releaseHeld),

    post('/deliveries/move', 'move', Move, async (call): Promise<Moved> => {
      const { from, to, dryRun, reason, part, ...among } = call.asked
      const isFirst = (part?.act ?? null) === null
      if (isFirst) await requireBoth(from, to)
      const able = flows.filter((flow) => isFor(to, flow)).map(({ name }) => name)
      const pending = isFirst ? await storage.pendingByFlow({ destination: from, ...among }) : []
      const audit = await call.audit({ dryRun, reason, ...(part && { part }) })
      const moved = await storage.move(from, to, audit, { ...among, flows: able })
      return { ...moved, left: pending.filter(({ flow }) => !able.includes(flow)) }
    }),

    get('/deliveries/:id', Shown, async ({ params, asked: { reveal }, note }) => {
      const delivery = await deliveryOf(params.id)
      if (reveal) await note({ action: 'reveal', selection: { delivery: delivery.id } }, [delivery.id])
      const { released } = delivery
      return {
        ...delivery,
        released: released?.to === undefined ? released : { ...released, to: shownAddress(released.to, reveal) },
        recipient: shownAddress(await recipients.of(delivery), reveal),
      }
    }),

    post('/deliveries/:id/send-again', 'send-again', SendAgain, async (call): Promise<SentAgain> => {
      const delivery = await deliveryOf(call.params.id)
      const { to, dryRun, reason } = call.asked
      const { id, flow, state, destination, urgency } = delivery
      requireReason({ dryRun, reason })
      const port = recipients.portOf(delivery)
      if (port === null) throw new UserError(`Delivery ${id} is no message: ${flow} sends none.`)
      if (!ENDED.includes(state))
        throw new UserError(`Delivery ${id} is ${state}: it was not sent yet. Use "deliveries retry".`)
      if (!destinations.includes(destination))
        throw new UserError(`Config has no destination "${destination}" any more.`)
      const address = to === undefined ? undefined : readRecipient(to, port)
      if (address === null)
        throw new UserError(
          `to: ${port === 'email' ? 'expected an e-mail address' : 'expected a phone number with its country, such as +47…'}.`,
        )
      const own = address ?? delivery.released?.to
      const recipient = own ?? (await recipients.of(delivery))
      const masked = recipient && maskedAddress(recipient)
      if (dryRun) return { delivery: null, again: id, to: masked, act: null }

      const event = await storage.event(delivery.event)
      const part = partAgain(delivery, event?.deliveries.filter(({ part }) => repeats(part, id)).length ?? 0)
      const selection = { delivery: id, to: address === undefined ? null : maskedAddress(address) }
      const act = await call.note({ selection, reason }, [id])
      const released = { by: call.operator, reason: reason ?? '', ...(own !== undefined && { to: own }) }
      const alone = { entity: null, notBefore: null, batch: null, digest: null, latestWins: false, force: false }
      const step = { ...alone, flow, part, destination, urgency, once: true, released }
      return { delivery: await enqueue(delivery, step, act), again: id, to: masked, act }
    }),

    post('/deliveries/:id/resend', 'resend', Again, async (call): Promise<Resent> => {
      const delivery = await deliveryOf(call.params.id)
      const { dryRun, reason } = call.asked
      requireReason({ dryRun, reason })
      await requireLacking(delivery)
      const step = await resendOf(delivery, context)
      const again = delivery.id
      if (dryRun) return { delivery: null, again, act: null }
      const act = await call.note({ selection: { delivery: again }, reason, changed: 1 }, [again])
      return { delivery: await enqueue(delivery, step, act), again, act }
    }),
  ]

  /** Throws a UserError for an unknown destination. */
  async function requireBoth(from: string, to: string): Promise<void> {
    const known = destinations.join(', ') || 'none'
    if (!destinations.includes(to)) throw new UserError(`to: config has no destination "${to}"; it has ${known}.`)
    if (from === to) throw new UserError('from: it is the same as to.')
    if (destinations.includes(from) || (await storage.pendingByFlow({ destination: from })).length > 0) return
    throw new UserError(
      `from: config has no destination "${from}", and nothing is pending for one of that name; config has ${known}.`,
    )
  }

  /** Throws a UserError unless an open gap says that the destination lacks it: a second order is worse than none. */
  async function requireLacking({ id, destination, flow, state }: DeliveryDetail): Promise<void> {
    if (state !== 'delivered')
      throw new UserError(`Delivery ${id} is ${state}: it was not acknowledged yet. Use "deliveries retry".`)
    const open = await allGaps(storage, { source: 'destination', destination, state: 'open' })
    const causes = open.filter(({ evidence }) => evidence.destination?.delivery === id).map(({ cause }) => cause)
    if (causes.includes('not-there') || (flow.startsWith('book-') && causes.includes('other-amount'))) return
    throw new UserError(
      `Delivery ${id}: no open gap says that ${destination} lacks it. Ask first: tillbridge jobs run reconcile-destinations`,
    )
  }
}

const FilesAgain = z.strictObject({
  destination: z.string(),
  from: Day,
  to: Day,
  flows: z.array(z.string()).min(1).nullable().default(null),
  goOn: whole.optional(),
  /** Although an act of the same was stopped. */
  anew: z.boolean().default(false),
  ...partly,
})

const FILES_AGAIN = 'files-again'
const FILES_ENDED = `${FILES_AGAIN}-ended`

const MAX_ACTS = 500

export function fileRoutes({ storage, flows: allFlows, config, route, mappings }: AdminContext): Route[] {
  const writers = config.destinations.filter(({ adapter }) => adapter === 'files').map(({ name }) => name)
  const booking = allFlows.filter(({ port }) => port === 'backOffice').map(({ name }) => name)

  return [
    post('/files/again', FILES_AGAIN, FilesAgain, async ({ asked: body, begin, note }): Promise<BookedAgain> => {
      const { dryRun, reason, part, goOn, anew, ...asked } = body
      const { destination } = asked
      if (!writers.includes(destination))
        throw new UserError(
          `destination: "${destination}" writes no files; ${writers.join(', ') || 'no destination of the config'} does.`,
        )
      for (const flow of asked.flows ?? []) requireBooking(flow)
      requireInOrder(asked)
      requireReason({ dryRun, reason })
      if (anew && goOn !== undefined)
        throw new UserError('anew: it is all of it once more, and goOn is the rest: one of both.')
      const { flows, ...which } = asked
      const selection = { ...which, ...(flows && { flows }) }
      const how = { ...(part && { part }), ...(goOn && { goOn }) }
      if (!part?.after && part?.act == null && goOn === undefined && !anew) await refuseIfStopped(storage, selection)
      const act = await begin({ selection, reason }, { dryRun, ...how })
      const done = await bookAgain({ storage, route, mappings, flows: allFlows }, asked, { act, ...how })
      if (act !== null && done.next === null) await note({ action: FILES_ENDED, selection: { act } })
      return done
    }),
  ]

  /** Throws a UserError for an unknown flow, of which nothing would be found. */
  function requireBooking(flow: string): void {
    if (!booking.includes(flow))
      throw new UserError(`flows: no flow "${flow}" writes for a back office. ${didYouMean(flow, booking, 'They are')}`)
  }
}

/** Throws a UserError if the last act of the same selection did not complete. */
async function refuseIfStopped(storage: Pick<Storage, 'acts'>, selection: object): Promise<void> {
  const asked = JSON.stringify(selection)
  const begun = await storage.acts({ action: FILES_AGAIN, limit: MAX_ACTS })
  const last = begun.find((each) => each.refused === null && each.selection === asked)
  if (last === undefined) return
  const ended = await storage.acts({ action: FILES_ENDED, since: last.at, limit: MAX_ACTS })
  if (ended.some((each) => each.selection === JSON.stringify({ act: last.id }))) return
  throw new UserError(
    `Act ${last.id} of ${last.by} (${formatInstant(last.at)}) was of the same, and the audit does not say that it has come to its end: it was stopped, or is still under way. --go-on ${last.id} does what is left of it, where it is yours and not still under way; --anew does all of it once more.`,
  )
}

export function createRecipients({ storage, flows }: Pick<AdminContext, 'storage' | 'flows'>) {
  function portOf({ flow }: Pick<DeliveryRow, 'flow'>): 'email' | 'texts' | null {
    const port = flows.find(({ name }) => name === flow)?.port
    return port === 'email' || port === 'texts' ? port : null
  }

  async function of(delivery: DeliveryRow & Partial<Pick<DeliveryDetail, 'released'>>): Promise<string | null> {
    const port = portOf(delivery)
    if (port === null) return null
    if (delivery.released?.to !== undefined) return delivery.released.to
    const event = await storage.event(delivery.event)
    const named = recipientIn(payloadOrNull(event?.body ?? null))
    if (named !== null || event?.entity == null) return named
    const [submitted] = await storage.events({ entity: event.entity, kind: 'OrderSubmitted', limit: 1 })
    return submitted ? customerIn(payloadOrNull((await storage.event(submitted.id))?.body ?? null), port) : null
  }

  /** One after the other: a body each is read. */
  async function listed(rows: readonly DeliveryRow[], reveal: boolean): Promise<ListedDelivery[]> {
    const known: ListedDelivery[] = []
    for (const row of rows) {
      const detail = portOf(row) !== null && isAgain(row.part) ? await storage.delivery(row.id) : null
      known.push({ ...row, recipient: shownAddress(await of(detail ?? row), reveal) })
    }
    return known
  }

  return { portOf, of, listed }
}

function shownAddress(address: string | null, reveal: boolean): string | null {
  return address === null || reveal ? address : maskedAddress(address)
}
