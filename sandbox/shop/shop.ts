import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createPageStyle } from '../page.ts'
import { createAuthentication, type ShopKey } from './authentication.ts'
import { createCustomers, customerJson, type ShopCustomer } from './customers/customers.ts'
import { createScript, type Faults } from './faults.ts'
import { createIds } from './ids.ts'
import { createCheckout } from './orders/checkout.ts'
import { orderJson } from './orders/json.ts'
import type { Order, Status } from './orders/order.ts'
import { createOrders } from './orders/orders.ts'
import type { Taxes } from './orders/tax.ts'
import { createPages } from './pages.ts'
import { createCatalogue, type ShopProduct } from './products/catalogue.ts'
import { orderRecord, productRecord, type ShopOrder, type ShopProductRecord } from './records.ts'
import { createRoutes } from './routes.ts'
import { createSiteTime } from './site-time.ts'
import { announceOrders } from './webhooks/announced.ts'
import { createPeople, type PlacedOrder } from './webhooks/people.ts'
import { createWebhooks, type SentWebhook, type Topic, type WebhookTarget } from './webhooks/webhooks.ts'
import { createNoRoute, createServe, type Plugin, readBody } from './wordpress.ts'

export type { Fault } from './faults.ts'
export type { ShopOrder } from './records.ts'
export type { PlacedOrder } from './webhooks/people.ts'

export interface ShopOptions {
  /** Any free one if left out. */
  port?: number
  /** 127.0.0.1 if left out. */
  host?: string
  consumerKey: string
  consumerSecret: string
  /** The rights of the key; `read_write` if left out. */
  permissions?: ShopKey['permissions']
  /** The role of the user whose key it is; an administrator's if left out. */
  role?: ShopKey['role']
  /** ISO 4217; NOK if left out. */
  currency?: string
  /** `off` if left out: lines cost what they say. */
  taxes?: Taxes
  /** Zone of the site's clock, which dates without `_gmt` are told in; Europe/Oslo if left out. */
  timeZone?: string
  products?: readonly ShopProduct[]
  /** Whether stock is managed in the shop (Settings → Products → Inventory); yes if left out. */
  managesStock?: boolean
  /** The number of an order, as a plugin gives it; its id if left out. */
  numbering?: (id: number) => string
  /** The parts of a new account that the shop does not make itself, so that it must bring them; none if left out. */
  accountsBring?: readonly ('username' | 'password')[]
  /** Whether meta data named like a field of an address (`_billing_city`) are that field; yes if left out. */
  addressesByMeta?: boolean
  /** Where webhooks about orders and customers go; none if left out. */
  webhook?: WebhookTarget | undefined
  /** Milliseconds since 1970; the machine's clock if left out. */
  now?: () => number
}

/** A running shop. Disposing it breaks all connections and erases all orders. */
export interface Shop extends AsyncDisposable {
  /** The shop's base, without `/wp-json`: `http://127.0.0.1:8071`. */
  url: string
  /** All orders, drafts too, oldest first. */
  orders(): ShopOrder[]
  /** All products and variations. */
  products(): ShopProductRecord[]
  /** All customers with an account. */
  customers(): ShopCustomer[]
  /** A customer of the shop orders on its pages. */
  placeOrder(placed: PlacedOrder): Promise<ShopOrder>
  /** Somebody of the staff moves an order on, by hand. */
  setStatus(id: number, status: Exclude<Status, 'trash'>): Promise<ShopOrder>
  /** Somebody of the staff throws an order away. */
  trash(id: number): ShopOrder
  /** Somebody of the staff, who is no customer, gets an account. */
  addManager(email: string): ShopCustomer
  /** From now on webhooks go there. */
  sendWebhooksTo(target: WebhookTarget): void
  /** Webhooks that were sent, oldest first. */
  webhooks(): SentWebhook[]
  /** Whether no webhook is on its way any more. */
  webhooksSettled(): boolean
  /** Webhooks that the shop has turned off, because too many in a row failed. */
  disabledWebhooks(): Topic[]
  /** The shop sends what it does when a webhook is saved; gives the status that was answered. */
  pingWebhook(): Promise<number | null>
  /** From now on a plugin changes documents, in answers and webhooks, before they are sent; null: none does. */
  setPlugin(plugin: Plugin | null): void
  faults: Faults
}

/** Starts an online shop that talks WooCommerce's REST API v3; its README says how far. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { port = 0, host = '127.0.0.1', currency = 'NOK', taxes = 'off', permissions = 'read_write' } = options
  const { role = 'administrator', managesStock = true, addressesByMeta = true } = options
  const { consumerKey, consumerSecret } = options
  const time = createSiteTime(options.timeZone ?? 'Europe/Oslo', options.now ?? Date.now)
  const nextId = createIds()
  const catalogue = createCatalogue(options.products ?? [], { nextId, now: time.now(), managesStock })
  const customers = createCustomers({ time, nextId })
  const webhooks = createWebhooks(options.webhook ?? null, () => url)
  const { numbering = String } = options
  const hasCustomer = (id: number) => customers.get(id) !== undefined
  const orders = announceOrders(
    createOrders({
      catalogue,
      taxes,
      currency,
      time,
      nextId,
      hasCustomer,
      numbering,
      addressesByMeta,
    }),
    (event, order) => webhooks.announce(`order.${event}`, order.id, () => plugin(orderJson(order, shown())) as object),
  )
  const people = createPeople({ orders, catalogue })
  const script = createScript()
  let plugin: Plugin = unchanged

  const app = express().disable('x-powered-by').disable('etag')
  const server = createServer(app)
  await listen(port)
  const address = server.address() as AddressInfo
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`

  const authentication = createAuthentication({ consumerKey, consumerSecret, permissions, role })
  const api = { base: () => url, authentication, script, plugin: (document: object) => plugin({ ...document }) }
  app.use('/wp-json', readBody)
  const announceCustomer = (event: 'created' | 'updated', customer: ShopCustomer) =>
    webhooks.announce(`customer.${event}`, customer.id, () => plugin({ ...customerJson(customer, shown()) }) as object)
  const { accountsBring = [] } = options
  const means = {
    catalogue,
    orders,
    customers,
    webhooks: webhooks.list,
    taxes,
    time,
    base: () => url,
    announceCustomer,
    accountsBring,
  }
  app.use('/wp-json/wc/v3', createRoutes(means, createServe(api)))
  app.use('/wp-json', createNoRoute(api))
  app.use(createPageStyle())
  const complete = (id: number) => people.setStatus(id, 'completed')
  app.use(createCheckout({ catalogue, place: people.place, complete }))
  app.use(createPages({ catalogue, orders, time, webhooks }))

  function shown() {
    return { catalogue, taxes, time, base: url, api: `${url}/wp-json/wc/v3` }
  }

  const record = (order: Order) => orderRecord(order, catalogue)

  async function listen(at: number): Promise<void> {
    server.listen(at, host)
    await once(server, 'listening')
  }

  async function close(): Promise<void> {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  const down = async (on: boolean) => {
    if (on) await close()
    else if (!server.listening) await listen(address.port)
  }

  return {
    url,
    orders: () => orders.all().map(record),
    products: () => catalogue.all().map(productRecord),
    customers: () => customers.all(),
    placeOrder: async (placed) => record(await people.place(placed)),
    async setStatus(id, status) {
      await people.setStatus(id, status)
      return record(people.orderOf(id))
    },
    trash(id) {
      const order = people.orderOf(id)
      Object.assign(order, { status: 'trash', modifiedAt: time.now() })
      webhooks.announce('order.deleted', id, () => ({ id }))
      return record(order)
    },
    addManager: (email) => customers.create({ email, id: undefined }, 'shop_manager'),
    sendWebhooksTo: webhooks.sendTo,
    webhooks: webhooks.sent,
    webhooksSettled: webhooks.settled,
    disabledWebhooks: webhooks.disabled,
    pingWebhook: webhooks.ping,
    setPlugin(next) {
      plugin = next ?? unchanged
    },
    faults: {
      down,
      next: script.next,
      hold: script.hold,
      release: script.release,
      get held() {
        return script.held
      },
    },
    async [Symbol.asyncDispose]() {
      script.abandon()
      await webhooks[Symbol.asyncDispose]()
      await close()
    },
  }
}

const unchanged: Plugin = (document) => document
