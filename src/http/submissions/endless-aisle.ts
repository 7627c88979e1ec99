import { idOfPosOrder, type Link, numberOfLink, sortOfLink } from '../../domain/orders/link.ts'
import { orderEntity } from '../../domain/orders/order-facts.ts'
import { text } from '../../domain/values/field.ts'
import { chunksOf, isMap } from '../../lib/collections.ts'
import type { Storage } from '../../storage/storage.ts'
import { LISTED, type ReadLines } from './body/read-body.ts'
import type { Readable } from './reading.ts'

interface EndlessAisle {
  /** That began at a POS, by an event. */
  among(orderNos: readonly string[]): Promise<ReadonlySet<string>>
  /** By the destinations' own names. */
  knownAs(names: readonly string[], destinations: readonly string[]): Promise<Map<string, PosLink>>
  /** By POS number, the destinations' ids. */
  createdAs(orderNos: readonly string[], destinations: readonly string[]): Promise<Map<string, ReadonlySet<string>>>
}

interface PosLink {
  number: string
  destination: string
}

const KIND = 'OmniChannelEndlessAisleOrderCreated'
const PAGE = 1_000
const NAMES_PER_READ = 500

/** Read for each sale, as an earlier event may be committed late; the event always precedes the sale. */
export function createEndlessAisle(storage: Pick<Storage, 'events' | 'links' | 'linksTo'>): EndlessAisle {
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
    async among(orderNos) {
      const byEntity = new Map(orderNos.map((orderNo) => [orderEntity(orderNo), orderNo]))
      const found = new Set<string>()
      for (const entities of chunksOf(byEntity.keys(), NAMES_PER_READ))
        for await (const entity of entitiesAmong(entities)) found.add(byEntity.get(entity) ?? '')
      return found
    },

    async knownAs(names, destinations) {
      const found = new Map<string, PosLink>()
      if (destinations.length === 0) return found
      for (const part of chunksOf(new Set(names), NAMES_PER_READ))
        for (const { id, theirId, destination } of await storage.linksTo([...destinations], 'order', part))
          if (sortOfLink(id) !== 'web') found.set(theirId, { number: numberOfLink(id), destination })
      return found
    },

    async createdAs(orderNos, destinations) {
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

interface Options {
  system: string
  shops: readonly string[]
}

/**
 * Refuses sales of orders that began at a POS: by an event of their number, or because the hub created them in a shop.
 */
export async function withoutPosOrders(
  read: ReadLines,
  endlessAisle: EndlessAisle,
  { system, shops }: Options,
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
