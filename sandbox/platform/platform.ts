import { randomInt } from 'node:crypto'
import express from 'express'
import { listen } from '../listen.ts'
import { createActions } from './actions/actions.ts'
import type { Actions } from './actions/all.ts'
import { createActionsApi } from './actions/api.ts'
import { createApi } from './api/api.ts'
import { createPosApi } from './api/pos-api.ts'
import type { DialectName } from './dialects/dialect.ts'
import { createBase, createDoor } from './dialects/door.ts'
import { dialectNamed } from './dialects/named.ts'
import { articleNamed } from './goods/article.ts'
import { createGoods, putGoods } from './goods/goods.ts'
import { createGoodsOffice, type GoodsOffice } from './goods/office.ts'
import type { PosLogEntry } from './goods/pos-log.ts'
import type { Variant } from './goods/product.ts'
import { createPages } from './pages/pages.ts'
import { type Connections, createLookups, type Lookups } from './people/lookups.ts'
import { answerRefusal, nothingHere } from './refusal.ts'
import type { Emit } from './sales/emit.ts'
import { createSalesOffice, type SalesOffice } from './sales/office.ts'
import { createPos, type Pos } from './sales/pos.ts'
import { KINDS } from './schemas/kinds.ts'
import { SEED_CUSTOMERS } from './seed/customers.ts'
import { createRandom } from './seed/random.ts'
import { createStrange, notStrange, type Strange } from './strange.ts'
import { createEventLog, type EventRecord, type Subscription } from './webhooks/event-log.ts'
import { createGateway } from './webhooks/gateway.ts'
import { createSender, type Sender } from './webhooks/sender.ts'

export { ASSORTMENT } from './goods/assortment.ts'

export interface PlatformOptions {
  /** 0, the default: any that is free. */
  port?: number
  host?: string
  apiKey: string
  subscriptionKey: string
  /** The header that names the event. */
  eventIdHeader?: string
  /** The same seed makes the same day, and draws the same names in the dialect `spec`; those are other ones each time, if nobody says. */
  seed?: number
  /** How it speaks; `facts`, if nobody says. */
  dialect?: DialectName
  /** A receiver that does not answer a webhook for so long has failed (milliseconds). */
  timeout?: number
  now?: () => number
  /** The systems of the retailer that the POS ask. */
  lookups?: Connections
  /** Whether there are 2,000 variants and 50 customers besides what the POS choose from; yes, if nobody says. */
  seedCatalogue?: boolean
  /** How it is otherwise than its documents say; see Strange. */
  strange?: Partial<Strange>
}

/** The POS platform, with a POS in each of its stores. */
export interface SandboxPlatform extends AsyncDisposable {
  /** Where people find the POS, and where `/odata` begins. */
  url: string
  /** Where `/api` begins. */
  apiUrl: string
  /** Where the API is as the retailer's own staff has it: all operations, and facts, whatever the dialect is. Tests look there, and hubs never. */
  portalUrl: string
  dialect: DialectName
  pos: Omit<Pos, 'posLog' | 'book' | 'move'>
  /** The actions of people and the back office: each kind of event can be caused with these. */
  actions: Actions
  /** Settles each POS of a store that sold something since it was settled last (a Z report). */
  closeDay: SalesOffice['settlements']['closeDay']
  /** What may happen to the counters of POS. */
  posList: Pick<SalesOffice['settlements']['posList'], 'train' | 'replace' | 'restore' | 'hide' | 'show'>
  /** The actions of stores' staff on online orders. */
  orders: SalesOffice['orders']['actions']
  /** Online orders that stores have. */
  onlineOrders: SalesOffice['orders']['all']
  /** Orders of the online store that were taken over as sales, oldest first. */
  importedOrders: SalesOffice['imported']
  /** The deeds of staff on them, whatever was sent to whom. */
  orderDeeds: SalesOffice['orders']['deeds']
  /** A store receives some of a delivery, or all of it. */
  receiveDelivery: GoodsOffice['deliveries']['receive']
  /** The POS' questions to the retailer's own systems; nobody is connected at first. */
  lookups: Lookups
  /** The deeds of the POS, whatever was sent to whom. */
  posLog(): readonly PosLogEntry[]
  /** The faults that webhooks may meet on their way. */
  faults: Pick<Sender, 'set' | 'next'>
  /** How many sales at once. */
  burst(count: number): void
  subscriptions(): Subscription[]
  /** The product of an extId; null: there is none. */
  product(extId: string): Pick<Variant, 'description' | 'images'> | null
  /** The kinds that can be subscribed to. */
  kinds(): readonly string[]
  /** How it differs from what it usually is. */
  strange: Strange
  /** How many events got no 2xx yet. */
  failed(): number
  /** The platform's own staff sends everything again that got no 2xx. Gives how many that were. */
  sendFailedAgain(): Promise<number>
  /** Everything that was to be sent to somebody, oldest first. */
  events(): readonly Pick<EventRecord, 'kind' | 'webhookEventId' | 'payload'>[]
  /** The event log has nothing up to that instant any more, nor of its millisecond. Gives how many events it has erased. */
  forgetEvents(until: number): number
  /** Whether the dialect shows what is in events of this kind. */
  isShown(kind: string): boolean
  /** Resolves when no webhook is on its way. */
  settled(): Promise<void>
}

const PORTAL = '/sandbox/portal'

/** Starts the platform. It erases everything when it is disposed of. */
export async function startPlatform(options: PlatformOptions): Promise<SandboxPlatform> {
  const { port = 0, host = '127.0.0.1', eventIdHeader = 'x-event-id', seed = 1, now = Date.now } = options
  const { timeout = 10_000, seedCatalogue = true } = options
  const { dialect: dialectName = 'facts' } = options
  const dialect = dialectNamed(dialectName, createRandom(options.seed ?? randomInt(2 ** 31)))
  const log = createEventLog(now)
  const sender = createSender(log, { eventIdHeader, timeout }, createRandom(seed + 1))
  const emit: Emit = (kind, payload, store, record) => {
    const written = dialect.events.write(kind, payload, record)
    for (const subscription of log.subscriptions.values()) {
      const { event, storeId } = subscription
      if (event === kind && (storeId ?? store.StoreId) === store.StoreId)
        sender.first(log.add(subscription, kind, written))
    }
  }
  const goods = createGoods(now, seedCatalogue)
  const pos = createPos(
    createRandom(seed),
    now,
    emit,
    (...moved) => putGoods(goods, ...moved),
    (name) => articleNamed(goods, name),
  )
  const goodsOffice = createGoodsOffice(goods, pos, now, emit)
  const { reservations } = goodsOffice
  const strange = { ...notStrange(), ...options.strange }
  const office = createSalesOffice(
    { goods, reservations, strange },
    pos,
    now,
    emit,
    seedCatalogue ? SEED_CUSTOMERS : [],
  )
  const actions = createActions({ pos, goods, goodsOffice, salesOffice: office, now, emit })
  const lookups = createLookups()
  lookups.connect(options.lookups ?? {})
  const burst = (count: number) => {
    for (let sale = 0; sale < count; sale++) pos.sell()
  }

  const app = express()
  app.disable('x-powered-by')
  app.use(
    createPages({
      ...goodsOffice,
      ...office,
      actions,
      log,
      sender,
      pos,
      goods,
      giftCards: pos.giftCards,
      lookups,
      burst,
    }),
    createActionsApi(actions),
    createPosApi(pos, burst),
  )
  // The log first: a hub reads it subscription by subscription, hour by hour, and each other route before it would be looked at.
  const known = [createApi(log, sender, dialect.events.schema), goodsOffice.router, office.router]
  const api = [...known, express.Router().use('/api', nothingHere)]
  app.use(PORTAL, createGateway(options), api)
  app.use(createBase(dialect), createGateway(options), createDoor(dialect), createStrange(strange), api)
  app.use(nothingHere, answerRefusal)
  const server = await listen(app, port, host)

  return {
    url: server.url,
    apiUrl: server.url + dialect.base,
    portalUrl: server.url + PORTAL,
    dialect: dialectName,
    pos,
    actions,
    closeDay: office.settlements.closeDay,
    posList: office.settlements.posList,
    orders: office.orders.actions,
    onlineOrders: office.orders.all,
    importedOrders: office.imported,
    orderDeeds: office.orders.deeds,
    receiveDelivery: goodsOffice.deliveries.receive,
    lookups,
    posLog: () => pos.posLog,
    faults: sender,
    burst,
    subscriptions: () => [...log.subscriptions.values()],
    product: (extId) => goods.catalogue.byExtId(extId),
    kinds: () => KINDS,
    strange,
    failed: () => log.failed().length,
    async sendFailedAgain() {
      const failed = log.failed()
      await Promise.all(failed.map((record) => sender.again(record)))
      return failed.length
    },
    events: () => log.records,
    forgetEvents: log.erase,
    isShown: dialect.events.isShown,
    settled: () => sender.settled(),
    async [Symbol.asyncDispose]() {
      await sender[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
