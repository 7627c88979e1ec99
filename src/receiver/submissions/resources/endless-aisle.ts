import { isMap } from '../../../config/schema/schemas-at.ts'
import { idOfTillOrder, type Link, numberOfLink, sortOfLink } from '../../../domain/orders/link.ts'
import { orderEntity } from '../../../domain/orders/order-facts.ts'
import { text } from '../../../domain/values/field.ts'
import { partsOf } from '../../../lib/collections.ts'
import type { Store } from '../../../store/store.ts'
import { LISTED, type ReadLines } from '../body/read-body.ts'
import type { Readable } from './resource.ts'

export interface EndlessAisle {
  /** Those of these numbers whose order an event says to have begun at a till. */
  among(orderNos: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Names, of these numbers and ids of orders, by which one of the destinations knows an order that the hub created there for a
   * till: it may call it by a number of its own.
   */
  knownAs(names: readonly string[], destinations: readonly string[]): Promise<Map<string, TillLink>>
  /**
   * The ids that destinations gave to the orders which the hub created there for tills, by the till's number. Another order that one of
   * them calls by such a number is its own: tills and shops both count their orders.
   */
  createdAs(orderNos: readonly string[], destinations: readonly string[]): Promise<Map<string, ReadonlySet<string>>>
}

interface TillLink {
  number: string
  destination: string
}

const KIND = 'OmniChannelEndlessAisleOrderCreated'
const PAGE = 1_000

const NAMES_PER_READ = 500

/**
 * The orders of events that say so, as long as the store keeps them. They are asked for by their numbers, whenever a sale comes: a
 * place in the list of events up to which they were read would be no evidence, as one with a lower id may still be committed.
 * An online system knows of such an order from the hub, so that its event is always there before its sale.
 */
export function createEndlessAisle(store: Pick<Store, 'events' | 'links' | 'linksTo'>): EndlessAisle {
  let receipts: Promise<ReadonlySet<string>> | null = null

  async function among(orderNos: readonly string[]): Promise<ReadonlySet<string>> {
    const byEntity = new Map(orderNos.map((orderNo) => [orderEntity(orderNo), orderNo]))
    const found = new Set<string>()
    for (const entities of partsOf(byEntity.keys(), NAMES_PER_READ))
      for await (const { entity } of told({ entities })) {
        const orderNo = entity === null ? undefined : byEntity.get(entity)
        if (orderNo !== undefined) found.add(orderNo)
      }
    return found
  }

  async function* told(filter: { entities?: readonly string[] }) {
    for (let after = 0; ; ) {
      const page = await store.events({ kind: KIND, ...filter, after, limit: PAGE })
      yield* page
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = last.id
    }
  }

  /**
   * Numbers of receipts by which orders without a number go. Only links from before they were told apart are bare, and their events
   * were there long ago: it is enough to read them once.
   */
  function receiptsOfBefore(): Promise<ReadonlySet<string>> {
    receipts ??= readReceipts().catch((error: unknown) => {
      receipts = null
      throw error
    })
    return receipts
  }

  async function readReceipts(): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for await (const { entity } of told({})) {
      const receipt = entity && receiptOf(entity)
      if (receipt) found.add(receipt)
    }
    return found
  }

  /** Those of these bare ids of links that are of a till's order: a link from before has the bare number, whichever sort it is of. */
  async function ofTill(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set()
    const numbers = await among(ids)
    if (ids.every((id) => numbers.has(id))) return numbers
    const known = await receiptsOfBefore()
    return new Set(ids.filter((id) => numbers.has(id) || known.has(id)))
  }

  return {
    among,

    async knownAs(names, destinations) {
      const found = new Map<string, TillLink>()
      if (destinations.length === 0) return found
      for (const part of partsOf(new Set(names), NAMES_PER_READ)) {
        const links = await store.linksTo([...destinations], 'order', part)
        const bare = await ofTill(links.flatMap(({ id }) => (sortOfLink(id) === 'web' ? id : [])))
        for (const { id, theirId, destination } of links)
          if (sortOfLink(id) !== 'web' || bare.has(id)) found.set(theirId, { number: numberOfLink(id), destination })
      }
      return found
    },

    async createdAs(orderNos, destinations) {
      const ids = [...new Set(orderNos)].map((orderNo) => idOfTillOrder({ orderNo, receiptNo: '' }))
      const links: Link[] = []
      for (const part of partsOf(ids, NAMES_PER_READ))
        for (const destination of destinations) links.push(...(await store.links(destination, 'order', part)))
      const created = Map.groupBy(links, ({ id }) => numberOfLink(id))
      return new Map([...created].map(([orderNo, those]) => [orderNo, new Set(those.map(({ theirId }) => theirId))]))
    },
  }
}

/** The fault of a sale that the platform has already. `why`: how that is known; `wayOut`: what its sender may do besides. */
export function begunAtTillFault(why: string, wayOut = ''): string {
  return `orderNo: the order began at a till (${why}), and the platform has its sale already: do not submit it${wayOut}`
}

function receiptOf(entity: string): string | null {
  const receipt = entity.startsWith('sale:') ? entity.split('/')[2] : undefined
  return receipt === undefined ? null : decodeURIComponent(receipt)
}

interface Options {
  system: string
  /** The destinations that orders of tills are created in. */
  shops: readonly string[]
}

/**
 * Refuses the sales of orders that began at a till, since the platform has them already: those that an event tells of by their
 * number, and those that the hub itself created in an online system for a till, which may submit them under a number of its own.
 * A system that orders are created in is asked by its own ids alone; of another one, any of them may have given it the number,
 * unless the sale says that it did not begin at a till. A number alone says nothing where the till's order is known to have another id.
 */
export async function withoutTillOrders(
  read: ReadLines,
  endlessAisle: EndlessAisle,
  { system, shops }: Options,
): Promise<ReadLines> {
  const isShop = shops.includes(system)
  const asked = read.lines.filter(({ beganOnline }) => isShop || !beganOnline)
  const among = isShop ? [system] : shops
  const told = await endlessAisle.among(read.lines.flatMap((line) => numberOf(line) ?? []))
  const created = await endlessAisle.createdAs([...told], among)
  const till = await endlessAisle.knownAs(asked.flatMap(namesOf), among)
  if (told.size === 0 && till.size === 0) return read
  const left: ReadLines = { lines: [], refused: read.refused, faults: [...read.faults] }
  for (const line of read.lines) {
    const link = asked.includes(line) ? namesOf(line).flatMap((name) => till.get(name) ?? [])[0] : undefined
    const fault = isTold(line) ? TOLD : link && createdFault(link, isShop)
    if (fault === undefined) {
      left.lines.push(line)
      continue
    }
    left.refused += 1
    if (left.faults.length < LISTED) left.faults.push({ line: line.line, faults: [fault] })
  }
  left.faults.sort((a, b) => a.line - b.line)
  return left

  /** Another order of the same number is told apart by its id, where the system gives ids itself; else by its sender's word. */
  function isTold(line: Readable): boolean {
    const number = numberOf(line) ?? ''
    const ids = created.get(number)
    if (!told.has(number) || ids === undefined) return told.has(number)
    const isSaidToBeAnother = isShop ? (line.links ?? []).length > 0 : line.beganOnline === true
    return !isSaidToBeAnother || namesOf(line).some((name) => ids.has(name))
  }
}

const TOLD = begunAtTillFault('the hub has its OmniChannelEndlessAisleOrderCreated')

function createdFault({ number, destination }: TillLink, isShop: boolean): string {
  const wayOut = isShop ? '' : ', or say endlessAisle: false where it is another order'
  return begunAtTillFault(`the hub created it at ${destination} for ${number}`, wayOut)
}

function numberOf({ payload }: Readable): string | null {
  return isMap(payload) ? text(payload, 'orderNo') : null
}

function namesOf(line: Readable): string[] {
  const { links = [] } = line
  return [numberOf(line), ...links.map(({ theirId }) => theirId)].flatMap((name) => name ?? [])
}
