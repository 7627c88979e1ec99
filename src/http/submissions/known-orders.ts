import type { SubmittedCancellation, SubmittedOrder } from '../../domain/catalogue/submitted.ts'
import { idOfPosOrder, type Link, numberOfLink, sortOfLink } from '../../domain/orders/link.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { ANY_ORDER, type ApiKey, hasScope } from '../../domain/scope.ts'
import { text } from '../../domain/values/field.ts'
import { formatInstant } from '../../domain/values/instant.ts'
import { chunksOf, isMap } from '../../lib/collections.ts'
import type { EventRow } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { makeOneWith } from '../api-key.ts'
import { type ProblemError, refusal } from '../problem.ts'
import { LISTED, type ReadLines } from './body/read-body.ts'
import type { Readable } from './reading.ts'

interface PosLink {
  number: string
  destination: string
}

const KIND = 'OmniChannelEndlessAisleOrderCreated'
const PAGE = 1_000
const NAMES_PER_READ = 500

/** Read for each sale, as an earlier event may be committed late; the event always precedes the sale. */
export function createEndlessAisle(storage: Pick<Storage, 'events' | 'links' | 'linksTo'>) {
  async function* entitiesAmong(entities: readonly string[]) {
    for (let after = 0; ; ) {
      const page = await storage.events({ kind: KIND, entities, after, limit: PAGE })
      for (const { entity } of page) if (entity !== null) yield entity
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = last.id
    }
  }

  return {
    /** That began at a POS, by an event. */
    async among(orderNos: readonly string[]): Promise<ReadonlySet<string>> {
      const byEntity = new Map(orderNos.map((orderNo) => [orderEntity(orderNo), orderNo]))
      const found = new Set<string>()
      for (const entities of chunksOf(byEntity.keys(), NAMES_PER_READ))
        for await (const entity of entitiesAmong(entities)) found.add(byEntity.get(entity) ?? '')
      return found
    },

    /** By the destinations' own names. */
    async knownAs(names: readonly string[], destinations: readonly string[]): Promise<Map<string, PosLink>> {
      const found = new Map<string, PosLink>()
      if (destinations.length === 0) return found
      for (const part of chunksOf(new Set(names), NAMES_PER_READ))
        for (const { id, theirId, destination } of await storage.linksTo([...destinations], 'order', part))
          if (sortOfLink(id) !== 'web') found.set(theirId, { number: numberOfLink(id), destination })
      return found
    },

    /** By POS number, the destinations' ids. */
    async createdAs(
      orderNos: readonly string[],
      destinations: readonly string[],
    ): Promise<Map<string, ReadonlySet<string>>> {
      const ids = [...new Set(orderNos)].map((orderNo) => idOfPosOrder({ orderNo, receiptNo: '' }))
      const links: Link[] = []
      for (const part of chunksOf(ids, NAMES_PER_READ))
        for (const destination of destinations) links.push(...(await storage.links(destination, 'order', part)))
      const created = Map.groupBy(links, ({ id }) => numberOfLink(id))
      return new Map([...created].map(([orderNo, those]) => [orderNo, new Set(those.map(({ theirId }) => theirId))]))
    },
  }
}

export function begunAtPosFault(why: string, wayOut = ''): string {
  return `orderNo: the order began at a POS (${why}), and the platform has its sale already: do not submit it${wayOut}`
}

/**
 * Refuses sales of orders that began at a POS: by an event of their number, or because the hub created them in a shop.
 */
export async function withoutPosOrders(
  read: ReadLines,
  endlessAisle: ReturnType<typeof createEndlessAisle>,
  system: string,
  shops: readonly string[],
): Promise<ReadLines> {
  const isShop = shops.includes(system)
  const among = isShop ? [system] : shops
  const reported = await endlessAisle.among(read.lines.flatMap((line) => numberOf(line) ?? []))
  const created = await endlessAisle.createdAs([...reported], among)
  const mayBeCreated = (line: Readable) => isShop || !line.beganOnline
  const pos = await endlessAisle.knownAs(read.lines.filter(mayBeCreated).flatMap(namesOf), among)
  if (reported.size === 0 && pos.size === 0) return read
  const left: ReadLines = { lines: [], refused: read.refused, faults: [...read.faults] }
  for (const line of read.lines) {
    const link = mayBeCreated(line) ? namesOf(line).flatMap((name) => pos.get(name) ?? [])[0] : undefined
    const fault = isTold(line) ? TOLD : link && createdFault(link, isShop)
    if (fault === undefined) left.lines.push(line)
    else {
      left.refused += 1
      if (left.faults.length < LISTED) left.faults.push({ line: line.line, faults: [fault] })
    }
  }
  left.faults.sort((a, b) => a.line - b.line)
  return left

  /** Another order of the same number differs by its id, or by its sender's word. */
  function isTold(line: Readable): boolean {
    const number = numberOf(line) ?? ''
    const ids = created.get(number)
    if (!reported.has(number) || ids === undefined) return reported.has(number)
    const isSaidToBeAnother = isShop ? (line.links ?? []).length > 0 : line.beganOnline === true
    return !isSaidToBeAnother || namesOf(line).some((name) => ids.has(name))
  }
}

const TOLD = begunAtPosFault('the hub has its OmniChannelEndlessAisleOrderCreated')

function createdFault({ number, destination }: PosLink, isShop: boolean): string {
  const wayOut = isShop ? '' : ', or say endlessAisle: false where it is another order'
  return begunAtPosFault(`the hub created it at ${destination} for ${number}`, wayOut)
}

function numberOf({ payload }: Readable): string | null {
  return isMap(payload) ? text(payload, 'orderNo') : null
}

function namesOf(line: Readable): string[] {
  return [numberOf(line), ...(line.links ?? []).map(({ theirId }) => theirId)].flatMap((name) => name ?? [])
}

export interface KnownOrder {
  /** Null: the payload is pruned. */
  latest: SubmittedOrder | null
  cancelled: boolean
  origin: string
  changedAt: string | null
}

export const CHANGED_AT = 'changed-at'

export type KnownOrders = ReturnType<typeof createKnownOrders>

export function createKnownOrders(storage: Pick<Storage, 'events' | 'event'>) {
  /** Without conflicts, which were never taken. */
  async function newest(kind: string, orderNo: string): Promise<EventRow | null> {
    const [found] = await storage.events({ kind, entity: orderEntity(orderNo), conflict: false, limit: 1 })
    return found ?? null
  }

  async function timeOf(event: EventRow | null): Promise<string | null> {
    return event && ((await storage.event(event.id))?.headers[CHANGED_AT] ?? formatInstant(event.receivedAt))
  }

  return {
    async find(orderNo: string): Promise<KnownOrder | null> {
      const submitted = await newest('OrderSubmitted', orderNo)
      if (submitted === null) return null
      const kept = await storage.event(((await newest('OrderChangeSubmitted', orderNo)) ?? submitted).id)
      const body = kept?.body ?? null
      const cancelledAt = await timeOf(await newest('OrderCancelSubmitted', orderNo))
      return {
        latest: body && (payloadOf({ body }) as SubmittedOrder),
        cancelled: cancelledAt !== null,
        origin: submitted.origin,
        changedAt: cancelledAt ?? kept?.headers[CHANGED_AT] ?? null,
      }
    },

    /** Cancelled before a store had it; null: never. */
    calledOffAt: async (orderNo: string) => await timeOf(await newest('OrderCalledOff', orderNo)),
  }
}

export function cancelledBefore(orderNo: string): string {
  return `order ${orderNo} was cancelled before: if it is on again, submit it under another number`
}

export function notKept(orderNo: string): string {
  return (
    `order ${orderNo} was submitted, and what it said is not kept any more (retention.payloads in config), so that nobody knows ` +
    'here which store has it: find it on the platform, and settle it with its store'
  )
}

export function movedFault(change: SubmittedOrder, { storeId, stockId }: SubmittedOrder): string | null {
  if (change.storeId === storeId && change.stockId === stockId) return null
  return (
    `the store: found the one with storeId ${change.storeId}, expected ${storeId}, which has the order: ` +
    'cancel it, and submit it to the other store under another number'
  )
}

/** Keys that may not change it learn nothing. Throws a ProblemError. */
export async function orderOf(known: KnownOrders, orderNo: string, key: ApiKey): Promise<KnownOrder> {
  const found = await known.find(orderNo)
  if (found === null)
    throw refusal('no-such-order', 'No order of this number was submitted: POST it to /v1/orders first.')
  if (found.origin !== key.system && !hasScope(key, ANY_ORDER))
    throw refusal(
      'order-of-another',
      `Order ${orderNo} was submitted by another system than ${key.system}, and is changed and cancelled by that one, or ` +
        `with the scope ${ANY_ORDER}. ${makeOneWith(key, ANY_ORDER)}`,
    )
  return found
}

export function latestOf(orderNo: string, { latest }: KnownOrder): SubmittedOrder {
  if (latest !== null) return latest
  throw refusal('order-not-kept', `Nothing is changed: ${notKept(orderNo)}.`)
}

export function orderCancelled(orderNo: string): ProblemError {
  return refusal(
    'order-cancelled',
    `Order ${orderNo} was cancelled, and cannot be changed any more. Submit it anew under another number.`,
  )
}

export function cancellationOf(orderNo: string, { storeId, stockId }: SubmittedOrder): Readable {
  return { kind: 'OrderCancelSubmitted', payload: { orderNo, storeId, stockId } satisfies SubmittedCancellation }
}
