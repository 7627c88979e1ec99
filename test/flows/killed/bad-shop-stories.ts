import type { StoreWithProcess } from './killed-kit.ts'

/** One order, and what is still to happen to it, in order. */
export interface BadShopStory {
  plan: (typeof PLANS)[number]
  /** Of an order of the shop: its number there. */
  number: string | null
  acts: (() => void)[]
}

/** One after the other: half of the orders are sold at POS. */
const PLANS = ['aisle', 'collect', 'aisle', 'decline', 'aisle', 'return', 'aisle', 'return-paid'] as const

const BASKET = [
  { sku: 'TEE-BLK-M', quantity: 2 },
  { sku: 'SOCKS-GRY', quantity: 1 },
]
/** Where a line is declined or comes back, it is this one. */
const SOCKS = 'SOCKS-GRY'

/** What happens to so many orders. Those of the shop are in the shop already; nothing else has happened yet. */
export async function tellStories(storage: StoreWithProcess, many: number): Promise<BadShopStory[]> {
  const stories: BadShopStory[] = []
  for (let turn = 0; turn < many; turn++) {
    const plan = PLANS[turn % PLANS.length] ?? 'aisle'
    const number = plan === 'aisle' ? null : (await storage.shop.placeOrder({ lines: BASKET })).number
    stories.push({ plan, number, acts: number === null ? [() => sell(storage)] : actsOn(storage, number, plan) })
  }
  return stories
}

function sell({ platform }: StoreWithProcess): void {
  platform.pos.endlessAisle({ lines: [{ sku: 'TEE-BLK-M' }] })
}

function actsOn({ platform: { actions } }: StoreWithProcess, orderNo: string, plan: BadShopStory['plan']) {
  return [
    () => actions.placeOrder({ orderNo, lines: BASKET }),
    () => actions.pickOrder({ orderNo }),
    ...(plan === 'decline' ? [() => actions.declineOrder({ orderNo, sku: SOCKS })] : []),
    () => actions.collectOrder({ orderNo }),
    ...(plan === 'return' ? [() => actions.returnOrder({ orderNo, sku: SOCKS, isRefunded: false })] : []),
    ...(plan === 'return-paid' ? [() => actions.returnOrder({ orderNo, sku: SOCKS, isRefunded: true })] : []),
  ]
}

/** What the shop must have, by the books of the POS and of the stores; the hub is not asked. */
export function expectedOf({ platform }: StoreWithProcess, stories: readonly BadShopStory[]): string[] {
  const deeds = platform.orderDeeds()
  const aisle = platform.posLog().filter(({ what }) => what === 'endless-aisle')
  if (aisle.length !== stories.filter(({ number }) => number === null).length) throw new Error('Not all was sold.')
  return [
    ...aisle.map(({ txRef, onlineTotal, currency }) => `order ${txRef} ${onlineTotal} ${currency} paid`),
    ...deeds.flatMap(({ what, orderNo, isRefunded }) => {
      if (what === 'collected') return [`${orderNo} captured`]
      if (what === 'declined') return [`${orderNo} 1 ${SOCKS} paid back`]
      return what === 'returned' ? [`${orderNo} 1 ${SOCKS} ${isRefunded ? 'noted' : 'paid back'}`] : []
    }),
  ]
}

/** The same, as the shop has it: each order, each time that one became completed, each line that was refunded. */
export function foundIn({ shop }: StoreWithProcess, stories: readonly BadShopStory[]): string[] {
  const placed = new Set(stories.map(({ number }) => number))
  return shop.orders().flatMap(({ number, transactionId, total, currency, datePaid, notes, refunds, lines }) => {
    if (!placed.has(number))
      return [`order ${transactionId} ${total} ${currency} ${datePaid === null ? 'unpaid' : 'paid'}`]
    const captured = notes.filter((note) => note.endsWith('to Completed.')).map(() => `${number} captured`)
    const back = refunds.flatMap(({ paidBack, lines: goods }) =>
      goods.map(({ lineId, quantity }) => {
        const sku = lines.find(({ id }) => id === lineId)?.sku
        return `${number} ${Math.abs(quantity)} ${sku} ${paidBack ? 'paid back' : 'noted'}`
      }),
    )
    return [...captured, ...back]
  })
}
