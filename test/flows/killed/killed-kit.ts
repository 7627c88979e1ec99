import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { freePort } from '../../../sandbox/demo/free-port.ts'
import { type HubProcess, startHub } from '../../../sandbox/demo/hub-process.ts'
import { ROOT } from '../../../sandbox/demo/start-flags.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts'
import type { Shop } from '../../../sandbox/shop/shop.ts'
import { eventually } from '../../eventually.ts'

/* The real process is killed with -9 around what it does to an order of the shop. */

/** Where the shop holds the order when the hub is killed; null: it cannot be reached. */
export type Point = 'start' | 'saved' | 'answer' | null

/** One order, whatever the point: paid, and the only one. */
export async function expectOneOrder(at: Point): Promise<void> {
  await using storage = await openStoreWithProcess()
  const { shop, platform, hub } = storage
  if (at === null) await shop.faults.down(true)
  else shop.faults.hold(at)
  const { txRef } = platform.pos.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
  await platform.settled()
  if (at === null) await eventually(async () => (await troubles(hub)) > 0)
  else await eventually(() => shop.faults.held > 0)

  await hub.killAndRestart()
  shop.faults.release()
  if (at === null) await shop.faults.down(false)
  await eventually(() => shop.orders()[0]?.datePaid ?? false, 30_000)
  await eventually(async () => (await open(hub)) === 0, 30_000)
  expect(shop.orders().map(({ transactionId }) => transactionId)).toEqual([txRef])
}

/** What is done to a pickup order of the shop, and what must have come of it, once. */
export type Deed = 'collect' | 'decline' | 'return'

/** One effect, whatever the point: an order captured, or goods refunded, once. */
export async function expectOneEffect(entry: Deed, at: Exclude<Point, null>): Promise<void> {
  await using storage = await openStoreWithProcess()
  const { shop, platform, hub } = storage
  const { number: orderNo } = await shop.placeOrder({
    lines: [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }],
  })
  platform.actions.placeOrder({
    orderNo,
    lines: [
      { sku: 'TEE-BLK-M', quantity: 2 },
      { sku: 'SOCKS-GRY', quantity: 1 },
    ],
  })
  platform.actions.pickOrder({ orderNo })
  await platform.settled()
  await eventually(async () => (await open(hub)) === 0)

  shop.faults.hold(at)
  if (entry === 'collect') platform.actions.collectOrder({ orderNo })
  else if (entry === 'decline') platform.actions.declineOrder({ orderNo, sku: 'SOCKS-GRY' })
  else platform.actions.returnOrder({ orderNo, sku: 'SOCKS-GRY', isRefunded: false })
  await platform.settled()
  await eventually(() => shop.faults.held > 0)
  await hub.killAndRestart()
  shop.faults.release()
  await eventually(async () => (await open(hub)) === 0, 30_000)
  const [order] = shop.orders()
  const refunds = order?.refunds.map(({ amount, paidBack }) => ({ amount, paidBack }))
  expect(refunds).toEqual(entry === 'collect' ? [] : [{ amount: '149.90', paidBack: true }])
  expect(order?.status).toBe(entry === 'collect' ? 'completed' : 'processing')
}

interface Status {
  destinations: { name: string; waiting: number; inFlight: number; outage: object | null }[]
}

export async function open(hub: HubProcess): Promise<number> {
  const { destinations } = await hub.admin<Status>('status')
  return destinations.reduce((sum, one) => sum + one.waiting + one.inFlight, 0)
}

async function troubles(hub: HubProcess): Promise<number> {
  const { destinations } = await hub.admin<Status>('status')
  return destinations.filter(({ outage }) => outage !== null).length
}

/** The sandbox, and the hub in a process of its own. */
export interface StoreWithProcess extends Sandbox {
  hub: HubProcess
}

/** Calls may take two seconds only, and take effect no more a second later. */
const QUICK = { timeout: '2s', inDoubtFor: '3s' }

/**
 * `shopUrl`: where the hub finds the shop, which may be a door before it. `queue`: of shop and mail; null: as config has it
 * without a word: where no call ever hangs.
 */
export async function openStoreWithProcess(
  shopUrl: (shop: Shop) => Promise<string> = async ({ url }) => url,
  queue: { timeout: string; inDoubtFor?: string } | null = QUICK,
): Promise<StoreWithProcess> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-killed-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const sandbox = opened.use(
    await startSandbox({
      PLATFORM_API_KEY: 'key-of-the-user',
      PLATFORM_SUBSCRIPTION_KEY: 'key-of-the-company',
      SHOP_KEY: 'ck_shop_0123',
      SHOP_SECRET: 'cs_shop_0123',
      SHOP_WEBHOOK_SECRET: 'secret-of-the-webhooks',
      TEXTS_KEY: 'key-of-the-gateway',
      BUS_SECRET: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
    }),
  )
  const config = parse(await readFile(join(ROOT, 'config/demo.yaml'), 'utf8'))
  if (queue !== null) for (const name of ['shop', 'mail']) config.destinations[name].queue = queue
  await writeFile(join(folder, 'tillbridge.yaml'), stringify(config))
  const port = await freePort()
  const hub = opened.use(
    await startHub(folder, port, {
      ...sandbox.env,
      SHOP_URL: await shopUrl(sandbox.shop),
      ADMIN_TOKEN: 'admin-token-of-the-tests',
      WEBHOOK_TOKEN: 'webhook-token-of-the-tests',
      POS_TOKEN: 'pos-token-of-the-tests',
      ERP_FOLDER: folder,
      TILLBRIDGE_CONFIG: join(folder, 'tillbridge.yaml'),
      HUB_PORT: String(port),
      HUB_URL: `http://127.0.0.1:${port}`,
      STORE_URL: `file:${join(folder, 'tillbridge.db')}`,
    }),
  )
  await eventually(() => sandbox.platform.subscriptions().length === sandbox.platform.kinds().length)
  const all = opened.move()
  return { ...sandbox, hub, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
