import type { IncomingMessage } from 'node:http'
import { type Shop, type ShopOptions, startShop } from '../../../../sandbox/shop/shop.ts'
import type { AdapterInstance } from '../../../../src/adapters/adapter.ts'
import woocommerce from '../../../../src/adapters/woocommerce/woocommerce.ts'
import type { Intake, IntakeItem, IntakeRequest } from '../../../../src/ports/intake.ts'
import type { Ports } from '../../../../src/ports/ports.ts'
import { eventually } from '../../../eventually.ts'
import { listen } from '../../../listen.ts'
import { KEY, PRODUCTS } from '../shop.ts'

export const SECRET = 'secret of the webhooks'

export interface ConnectedShop extends AsyncDisposable {
  shop: Shop
  instance: AdapterInstance
  ports: Required<Pick<Ports, 'orders' | 'customers' | 'stock'>>
  intake: Intake
  /** Webhooks as they came over the wire, oldest first. */
  came: IntakeRequest[]
  /** What the adapter makes of all webhooks that the shop sent, once all have come; each state once, as the hub counts. */
  handedOver(): Promise<IntakeItem[]>
}

/** A shop that sends webhooks, somebody who takes them, and the adapter. */
export async function startConnected(
  options: Record<string, unknown> = {},
  shopOptions: Partial<ShopOptions> = {},
): Promise<ConnectedShop> {
  const came: IntakeRequest[] = []
  const server = await listen(async (request, response) => {
    came.push(await requestOf(request))
    response.end()
  })
  const url = `${server.url}/intake/shop`
  const shop = await startShop({ ...KEY, products: PRODUCTS, webhook: { url, secret: SECRET }, ...shopOptions })
  const written = { url: shop.url, ...KEY, webhookSecret: SECRET, ...options }
  const context = { destination: 'shop', timeout: 5_000, concurrency: 2 }
  const instance = woocommerce.create(woocommerce.options.parse(written), context)
  const { orders, customers, stock } = instance.ports
  if (!orders || !customers || !stock) throw new Error('The adapter lacks a port.')
  const intake = instance.intake ?? {}
  return {
    shop,
    instance,
    ports: { orders, customers, stock },
    intake,
    came,
    async handedOver() {
      await eventually(() => shop.webhooksSettled())
      const read = await Promise.all(
        came.map(async (one) => (intake.verify?.(one) && (await intake.read?.(one))) || []),
      )
      const items = read.flat()
      return distinct(items)
    },
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await shop[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** A state is named by its key and what it says; of several alike, the first counts. */
function distinct(items: readonly IntakeItem[]): IntakeItem[] {
  const seen = new Set<string>()
  return items.filter(({ resource, key, place, value }) => {
    const name = JSON.stringify([resource, key, place, value])
    return !seen.has(name) && seen.add(name)
  })
}

async function requestOf(request: IncomingMessage): Promise<IntakeRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return { headers: Object.fromEntries(headers), query: {}, body: Buffer.concat(chunks) }
}
