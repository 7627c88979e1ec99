import type { StoreIndex } from '../../domain/places/store-index.ts'
import { digestOf } from '../../domain/values/digest.ts'
import type { Inbox } from '../../inbox/accept.ts'
import type { Incoming } from '../../inbox/reading.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSequentialByKey } from '../../lib/semaphore.ts'
import type { IntakeEnd, IntakeItem, IntakeLine } from '../../ports/intake.ts'
import type { Store } from '../../store/store.ts'
import { CHANGED_AT, createKnownOrders } from '../submissions/known-orders.ts'
import { createEndlessAisle } from '../submissions/resources/endless-aisle.ts'
import type { Readable, Reading, ReadingContext } from '../submissions/resources/resource.ts'
import { RESOURCES } from '../submissions/resources/resources.ts'
import { createStoreFinder } from '../submissions/store-finder.ts'
import { createConnected } from './connected.ts'
import {
  type Asked,
  isBefore,
  orderNoOf,
  readCancellationItem,
  readCustomerItem,
  readOrderItem,
  readSaleItem,
  withoutNumber,
} from './read-item.ts'
import type { IntakeSystem } from './system.ts'

interface Options {
  systems: readonly IntakeSystem[]
  inbox: Pick<Inbox, 'accept'>
  store: Pick<Store, 'events' | 'event' | 'links' | 'linksTo' | 'jobs'>
  /** The platform's stores, as they are known at the moment. */
  storeIndex: () => StoreIndex
  /** The number of the store that stands for a country. */
  saleStores: Readonly<Record<string, string>>
  /** The system that alone writes the levels of a stock, by the stock's id. */
  stockWriters: Readonly<Record<string, string>>
  /** The platform counts stock in whole numbers. */
  wholeQuantities: boolean
  clock: Clock
  logger: Logger
}

/** The end of an item. `nothing`: there is nothing to do about it, and no event. */
export interface Taken extends IntakeEnd {
  /** The id of its event. */
  id: number | null
}

/** Takes what own systems hand over, however it came. */
export interface Taking {
  /**
   * Items each become an event, durably, or nothing; what is wrong with one is never the sender's trouble: it is kept in
   * quarantine. `body`: the request that they came in. Rejects with a StoreUnavailableError, or a StoresUnknownError; then
   * the same items may be taken again.
   */
  take(system: string, items: readonly IntakeItem[], body?: Uint8Array): Promise<Taken[]>
  /** Keeps a request that nobody can read. */
  keepUnreadable(system: string, body: Uint8Array, why: string): Promise<Taken>
}

/** The kinds that items become; what is in quarantine is found under them. */
const KINDS: Readonly<Record<IntakeItem['resource'], string>> = {
  orders: 'OrderSubmitted',
  cancellations: 'OrderCancelSubmitted',
  sales: 'SaleSubmitted',
  customers: 'CustomerSubmitted',
  products: 'ProductSubmitted',
  prices: 'PriceSubmitted',
  'cost-prices': 'CostPriceSubmitted',
  'stock-adjustments': 'StockLevelSubmitted',
  deliveries: 'DeliverySubmitted',
}

export function createTaking(options: Options): Taking {
  const { systems, inbox, store, storeIndex, saleStores, stockWriters, wholeQuantities, clock, logger } = options
  const stores = createStoreFinder(storeIndex, saleStores)
  const endlessAisle = createEndlessAisle(store)
  const known = createKnownOrders(store)
  const connected = createConnected(store, clock)
  /** The reading of an item depends on what was taken of the same order before. */
  const inTurn = createSequentialByKey()

  async function takeOne(system: IntakeSystem, item: IntakeItem, body: Uint8Array | undefined): Promise<Taken> {
    const asked = await read(system, item)
    if (asked === null) return { status: 'nothing', id: null, faults: [] }
    if ('faults' in asked && item.refusable) return { status: 'refused', id: null, faults: asked.faults }
    const arrival = {
      origin: system.name,
      transportKey: nameOf(item, asked),
      headers: item.changedAt === undefined ? {} : { [CHANGED_AT]: item.changedAt },
    }
    if (!('faults' in asked)) return await accept({ ...arrival, ...eventOf(asked, system.name) })
    const kept = body ?? Buffer.from(JSON.stringify(item.value))
    const why = asked.faults.join('; ') || 'it says nothing'
    return await accept({ ...arrival, kind: KINDS[item.resource], body: kept, unreadable: why })
  }

  async function read(system: IntakeSystem, item: IntakeItem): Promise<Asked> {
    if (item.faults) return { faults: [...item.faults] }
    const context: ReadingContext = {
      system: system.name,
      insertOnly: false,
      force: false,
      stores,
      stockWriters,
      wholeQuantities,
    }
    if (item.resource === 'customers') return readCustomerItem(item, system, context)
    if (isLine(item.resource)) return RESOURCES[item.resource].readLine(item.value, context)
    const orderNo = orderNoOf(item)
    if (orderNo === null) return withoutNumber(item)
    const before = await known.find(orderNo)
    if (item.resource === 'orders') {
      const off = before === null ? await known.calledOffAt(orderNo) : null
      return isBefore(item.changedAt, off) ? null : readOrderItem(item, system, context, before)
    }
    if (item.resource === 'sales')
      return (await isNoSale(system, item, orderNo)) ? null : readSaleItem(item, system, context, before)
    const [link] = await store.links(system.name, 'order', [orderNo])
    return readCancellationItem(item, orderNo, system, before, link?.theirId ?? null)
  }

  async function isNoSale(system: IntakeSystem, item: IntakeItem, orderNo: string): Promise<boolean> {
    if (await isOfTill(system, item, orderNo)) return true
    if (!(await connected.wasBefore(system, item))) return false
    logger.info({ destination: system.name, orderNo, completedAt: item.completedAt }, 'intake.sale-before-connected')
    return true
  }

  /**
   * Whether it began at a till, by its number, or because the hub created it there for one: it may have a number of its own there. Where
   * the till's order of this number has another id there, this one is the shop's own.
   */
  async function isOfTill({ name }: IntakeSystem, { theirId }: IntakeItem, orderNo: string): Promise<boolean> {
    const names = theirId === null ? [orderNo] : [orderNo, theirId]
    if ((await endlessAisle.knownAs(names, [name])).size > 0) return true
    if ((await endlessAisle.among([orderNo])).size === 0) return false
    return theirId === null || !(await endlessAisle.createdAs([orderNo], [name])).has(orderNo)
  }

  async function accept(
    arrival: Pick<
      Incoming,
      'kind' | 'origin' | 'transportKey' | 'headers' | 'body' | 'unreadable' | 'links' | 'acknowledges'
    >,
  ): Promise<Taken> {
    const verdict = await inbox.accept({
      ...arrival,
      subscription: null,
      receivedAt: clock.now(),
      intake: true,
    })
    const { status, id } = verdict
    const facts = { destination: arrival.origin, kind: arrival.kind, event: id }
    if (status === 'conflict') logger.error({ ...facts, with: verdict.with }, 'event.conflict')
    if (status === 'quarantined') logger.error(facts, 'event.quarantined')
    return { status, id, faults: [] }
  }

  return {
    async take(name, items, body) {
      const system = systems.find((one) => one.name === name)
      if (!system) throw new TypeError(`There is no own system ${name}.`)
      const taken = items.map((item) =>
        inTurn(orderNoOf(item) ?? `${item.resource}/${item.key}`, () => takeOne(system, item, body)),
      )
      // All are over before the first failure is told: nothing goes on behind the caller's back.
      await Promise.allSettled(taken)
      return await Promise.all(taken)
    },

    keepUnreadable: (system, body, why) =>
      accept({ kind: 'IntakeReceived', origin: system, transportKey: null, headers: {}, body, unreadable: why }),
  }
}

/**
 * The name of what an item says, for ever. The key of its state is not enough: a shop does not move the date of an order for each
 * change, and two may be of one second. What cannot be taken has no other words than its own.
 */
function nameOf({ resource, key, place, value }: IntakeItem, asked: Reading): string {
  const said = 'faults' in asked ? { place, value } : asked.payload
  return `${resource}/${key}/${digestOf(said).slice(0, 12)}`
}

/** Whether it is what a line of NDJSON of `/v1` is. */
function isLine(resource: IntakeItem['resource']): resource is IntakeLine {
  return LINES.includes(resource)
}

const LINES: readonly string[] = ['products', 'prices', 'cost-prices', 'stock-adjustments', 'deliveries']

function eventOf({ kind, payload, links = [], acknowledges }: Readable, destination: string) {
  return {
    kind,
    body: Buffer.from(JSON.stringify(payload)),
    unreadable: null,
    links: links.map((link) => ({ ...link, destination })),
    ...(acknowledges && { acknowledges }),
  }
}
