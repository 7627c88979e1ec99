import { GOODS, optionsFor, orderOf, type VendureShop } from '../../packages/tillbridge-adapter-vendure/test/kit.ts'
import { callOf, lineOf } from '../../packages/tillbridge-adapter-woocommerce/test/kit.ts'
import type { AdapterKit } from '../../src/adapter-kit/kit.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import type { OrdersCall } from '../../src/ports/ports.ts'

/** What stores do with orders of these numbers, each of which has a T-shirt. */
export function callsAbout(
  numberOf: (n: number) => string,
  rowId: string | null = null,
): NonNullable<AdapterKit['calls']> {
  const shirt = lineOf({ rowId })
  const calls: Record<string, (number: string, n: number) => OrdersCall> = {
    ready: callOf.ready,
    collected: callOf.collected,
    expire: callOf.expire,
    ship: (number, n) => callOf.ship(number, `S-${n}`, 1),
    decline: (number) => callOf.decline(number, 1, shirt),
    refund: (number, n) => callOf.refund(number, 1, shirt, `R-${n}`),
    noteRefund: (number, n) => callOf.noteRefund(number, 1, shirt, `R-${n}`),
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [`orders.${name}`, (n) => call(numberOf(n), n).argument]),
  )
}

const vendureNumbers: string[] = []
const [TEE, CAP] = GOODS
const STOCK = 'Default Stock Location'

/** A real server is one for all cases, so that only what is made is counted there. */
export function realVendureKit(start: () => Promise<VendureShop>): AdapterKit {
  const { calls = {}, ...kit } = vendureKit(start, { isReal: true })
  const names = Object.keys(calls)
  return {
    ...kit,
    calls: { ...Object.fromEntries(names.map((name) => [name, undefined])), 'orders.create': calls['orders.create'] },
  }
}

/** Two orders were placed there, paid by card and to be fetched. */
export function vendureKit(start: () => Promise<VendureShop>, { isReal = false } = {}): AdapterKit {
  return {
    calls: {
      ...callsAbout((n) => vendureNumbers[n - 1] ?? ''),
      ...{ 'orders.refund': undefined, 'customers.upsert': undefined },
      'orders.create': (n) => orderOf(`EA-${n}`, [{}], { receiptNo: `${1000 + n}` }),
      'orders.draft': (n) => orderOf(`EA-${n}`, [{}], { receiptNo: `${1000 + n}` }),
      'stock.setLevels': (n) => ({
        ...{ location: STOCK, sku: null, level: parseDecimal(7) },
        gtin: n === 1 ? TEE.gtin : CAP.gtin,
      }),
    },
    isRead: ({ body }) => !/\bmutation\b/.test(String(body)),
    async start() {
      const shop = await start()
      const before = new Set((await shop.orders()).map(({ id }) => id))
      const placed: string[] = []
      for (const n of isReal ? [] : [0, 1]) {
        const { id, code } = await shop.place({
          lines: [{ sku: TEE.sku, quantity: 2 }],
          shipping: 'pickup',
          store: 'oslo',
        })
        vendureNumbers[n] = code
        placed.push(id)
      }
      const those = async () => (await shop.orders()).filter(({ id }) => placed.includes(id))
      const made = async () => (await shop.orders()).filter(({ id }) => !before.has(id) && !placed.includes(id))
      const entries = async (type: string) =>
        (await those()).flatMap(({ history }) => history.items.filter((item) => item.type === type)).length
      const parcels = async () => (await those()).flatMap(({ fulfillments }) => fulfillments).length
      const counts: Record<string, () => Promise<number>> = {
        'orders.create': async () => (await made()).filter(({ state }) => state === 'PaymentSettled').length,
        // A draft without goods was given up before it had a name.
        'orders.draft': async () => (await made()).filter(({ lines }) => lines.length > 0).length,
        'orders.ready': () => entries('ORDER_NOTE'),
        'orders.collected': parcels,
        'orders.expire': async () => (await those()).filter(({ state }) => state === 'Cancelled').length,
        'orders.ship': parcels,
        'orders.decline': () => entries('ORDER_CANCELLATION'),
        'orders.noteRefund': () => entries('ORDER_NOTE'),
        async 'stock.setLevels'() {
          const levels = await Promise.all([TEE, CAP].map(({ sku }) => shop.stockOf(sku, STOCK)))
          return levels.filter((level) => level?.stockOnHand === 7).length
        },
      }
      return {
        url: shop.url,
        options: (url) => optionsFor(url, isReal ? {} : { apiKey: shop.apiKey }),
        effects: async (call) => (await counts[call]?.()) ?? 0,
        [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
      }
    },
  }
}
