import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { createPageStyle } from '../page.ts'
import { createAuthentication, type ShopKey } from './authentication.ts'
import { createCatalogue, type ShopProduct } from './catalogue.ts'
import { createScript, type Faults } from './faults.ts'
import { createIds } from './ids.ts'
import { createOrders } from './orders.ts'
import { createPages } from './pages.ts'
import { orderRecord, productRecord, type ShopOrder, type ShopProductRecord } from './records.ts'
import { createRoutes } from './routes.ts'
import { createSiteTime } from './site-time.ts'
import type { Taxes } from './tax.ts'
import { createNoRoute, createServe, readBody } from './wordpress.ts'

export type { Fault } from './faults.ts'
export type { ShopOrder } from './records.ts'

export interface ShopOptions {
  /** Any free one if left out. */
  port?: number
  /** 127.0.0.1 if left out. */
  host?: string
  consumerKey: string
  consumerSecret: string
  /** What the key may do; `read_write` if left out. */
  permissions?: ShopKey['permissions']
  /** ISO 4217; NOK if left out. */
  currency?: string
  /** `off` if left out: lines cost what they say. */
  taxes?: Taxes
  /** Zone of the site's clock, which dates without `_gmt` are told in; Europe/Oslo if left out. */
  timeZone?: string
  products?: readonly ShopProduct[]
  /** Milliseconds since 1970; the machine's clock if left out. */
  now?: () => number
}

/** A running shop. Disposing it breaks all connections and forgets all orders. */
export interface Shop extends AsyncDisposable {
  /** Its base, without `/wp-json`: `http://127.0.0.1:8071`. */
  url: string
  /** All orders, drafts too, oldest first. */
  orders(): ShopOrder[]
  /** All products and variations. */
  products(): ShopProductRecord[]
  faults: Faults
}

/** Starts an online shop that talks WooCommerce's REST API v3; its README says how far. */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const { port = 0, host = '127.0.0.1', currency = 'NOK', taxes = 'off', permissions = 'read_write' } = options
  const { consumerKey, consumerSecret } = options
  const time = createSiteTime(options.timeZone ?? 'Europe/Oslo', options.now ?? Date.now)
  const nextId = createIds()
  const catalogue = createCatalogue(options.products ?? [], nextId, time.now())
  const orders = createOrders({ catalogue, taxes, currency, time, nextId })
  const script = createScript()

  const app = express().disable('x-powered-by').disable('etag')
  const server = createServer(app)
  await listen(port)
  const address = server.address() as AddressInfo
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`

  const authentication = createAuthentication({ consumerKey, consumerSecret, permissions })
  const api = { base: () => url, authentication, script }
  app.use('/wp-json', readBody)
  app.use('/wp-json/wc/v3', createRoutes({ catalogue, orders, taxes, time, base: () => url }, createServe(api)))
  app.use('/wp-json', createNoRoute(api))
  app.use(createPageStyle())
  app.use(createPages({ catalogue, orders, time }))

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
    orders: () => orders.all().map((order) => orderRecord(order, catalogue)),
    products: () => catalogue.all().map(productRecord),
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
      await close()
    },
  }
}
