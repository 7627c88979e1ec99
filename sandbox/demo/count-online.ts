import { ASSORTMENT } from '../platform/platform.ts'
import type { PlacedOnline } from './online.ts'
import type { Effects } from './reconcile.ts'
import type { World } from './world.ts'

/** The same of online orders: what the stores' own book and the shop's customers did, and what is there. */
export function countOnline({ platform, shop, mailbox }: World, placed: readonly PlacedOnline[]): Effects[] {
  const deeds = platform.orderDeeds()
  const did = (what: (typeof deeds)[number]['what']) => deeds.filter((entry) => entry.what === what)
  const numbers = new Set(placed.map(({ number }) => number))
  const orders = shop.orders().filter(({ number }) => numbers.has(number))
  const skuOf = new Map(ASSORTMENT.map(({ gtin, sku }) => [gtin, sku]))
  const pieces = (entry: (typeof deeds)[number], how: string) =>
    `${entry.orderNo} ${entry.quantity} ${skuOf.get(entry.gtin ?? '')} ${how}`
  const expiredGoods = did('expired').flatMap(
    ({ orderNo }) =>
      orders
        .find(({ number }) => number === orderNo)
        ?.lines.map(({ quantity, sku }) => `${orderNo} ${quantity} ${sku} paid back`) ?? [],
  )
  return [
    {
      name: 'online orders in stores',
      expected: placed.filter(({ plan }) => plan !== 'web').map(({ number }) => number),
      counted: platform.onlineOrders().map(({ body }) => body.orderNo),
    },
    {
      name: 'customers told to come',
      expected: did('picked').map(({ orderNo }) => orderNo),
      counted: mailbox
        .mails()
        .flatMap(
          ({ subject }) => placed.find(({ number }) => subject.includes(`order ${number} is ready`))?.number ?? [],
        ),
    },
    {
      name: 'payments captured, parcels sent',
      expected: [...did('collected'), ...did('packed')].map(({ orderNo }) => orderNo),
      counted: orders
        .filter(({ status, number }) => status === 'completed' && planOf(placed, number) !== 'web')
        .map(({ number }) => number),
    },
    {
      name: 'goods refunded',
      expected: [
        ...did('declined').map((entry) => pieces(entry, 'paid back')),
        ...did('returned').map((entry) => pieces(entry, entry.isRefunded ? 'noted' : 'paid back')),
        ...expiredGoods,
      ],
      counted: orders.flatMap(({ number, lines, refunds }) =>
        refunds.flatMap(({ paidBack, lines: back }) =>
          back.map(({ lineId, quantity }) => {
            const sku = lines.find(({ id }) => id === lineId)?.sku
            return `${number} ${Math.abs(quantity)} ${sku} ${paidBack ? 'paid back' : 'noted'}`
          }),
        ),
      ),
    },
    {
      name: 'online sales at the platform',
      expected: placed.filter(({ plan }) => plan === 'web').map(({ number, total }) => `${number} ${total}`),
      counted: platform.importedOrders().map(({ orderNo, total }) => `${orderNo} ${total}`),
    },
  ]
}

function planOf(placed: readonly PlacedOnline[], wanted: string): PlacedOnline['plan'] | undefined {
  return placed.find(({ number }) => number === wanted)?.plan
}
