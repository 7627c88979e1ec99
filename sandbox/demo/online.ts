import type { World } from './world.ts'

/** An order that a customer placed in the online shop. */
export interface PlacedOnline {
  number: string
  /** The plan for the order; `web`: the shop sends it itself. */
  plan: (typeof PLANS)[number]
  total: string
}

/** One after the other. */
const PLANS = ['collect', 'decline', 'expire', 'ship', 'return', 'return-paid', 'web'] as const

const STORES = ['Oslo City', 'Bergen Torg']
const GOODS = [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }]

/** Customers order online: to fetch it in a store, to be sent from a store, or from the shop's own warehouse. */
export async function orderOnline({ shop }: World, many: number): Promise<PlacedOnline[]> {
  const placed: PlacedOnline[] = []
  for (let turn = 0; turn < many; turn++) {
    const plan = PLANS[turn % PLANS.length] ?? 'web'
    const fetched = plan !== 'ship' && plan !== 'web'
    const { number, total } = await shop.placeOrder({
      email: `online-${turn + 1}@example.com`,
      lines: GOODS,
      ...(fetched && { shipping: { method: 'pickup_location', location: STORES[turn % STORES.length] ?? '' } }),
      ...(plan === 'ship' && { meta: { store: '102' } }),
    })
    placed.push({ number, plan, total })
  }
  return placed
}

/** Staff lays everything ready that customers are to fetch. */
export function layReady({ platform }: World, placed: readonly PlacedOnline[]): void {
  for (const { number: orderNo, plan } of placed)
    if (plan !== 'ship' && plan !== 'web') platform.actions.pickOrder({ orderNo })
}

/** Customers fetch what lies ready, or do not come; the store sends its parcels, the shop its own. */
export async function execute({ platform, shop }: World, placed: readonly PlacedOnline[]): Promise<void> {
  const { actions } = platform
  for (const { number: orderNo, plan } of placed) {
    if (plan === 'web') await shop.setStatus(Number(orderNo), 'completed')
    else if (plan === 'ship') actions.packOrder({ orderNo })
    else if (plan === 'expire') actions.expireOrder({ orderNo })
    else {
      if (plan === 'decline') actions.declineOrder({ orderNo, sku: 'SOCKS-GRY' })
      actions.collectOrder({ orderNo })
    }
  }
}

/** Customers bring something back: the POS looks their order up in the shop first. Gives how many it found. */
export async function bringBack({ platform }: World, placed: readonly PlacedOnline[]): Promise<number> {
  let found = 0
  for (const { number, plan } of placed) {
    if (plan !== 'return' && plan !== 'return-paid') continue
    const order = await platform.lookups.order(number)
    const [line] = order?.orderLines ?? []
    if (!order || !line) continue
    found += 1
    platform.actions.returnOrder({
      orderNo: order.orderNo,
      ...(line.gtin && { gtin: line.gtin }),
      ...(line.rowId && { rowId: line.rowId }),
      quantity: 1,
      isRefunded: plan === 'return-paid',
    })
  }
  return found
}
