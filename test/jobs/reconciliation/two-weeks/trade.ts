import { ASSORTMENT, type SandboxPlatform } from '../../../../sandbox/platform/platform.ts'
import { pick, type Random } from '../../../../sandbox/platform/seed/random.ts'

/** Stores that are open; the others of the chain stay closed all the time. */
export const OPEN_STORES = ['101', '102', '201'] as const

const WAYS = ['card', 'cash', 'split', 'invoice'] as const

/** Half an hour of a store: people buy and bring back, order online, want their receipts; goods come and are corrected. */
export function trade({ actions }: SandboxPlatform, store: string, random: Random): void {
  const pos = random() < 0.6 ? 1 : 2
  const { sku } = pick(random, ASSORTMENT)
  const may = (share: number) => random() < share
  if (may(0.7)) actions.sell({ store, pos, sku, quantity: may(0.2) ? 2 : 1, payment: pick(random, WAYS) })
  if (may(0.08)) actions.returnGoods({ store, pos, sku, payment: 'cash' })
  if (may(0.08)) actions.endlessAisle({ store, pos })
  if (may(0.08)) actions.sendReceipt({ store, pos, channel: may(0.5) ? 'Email' : 'SMS' })
  if (may(0.05)) actions.adjustStock({ stock: store, sku, quantity: -1 })
  if (may(0.04)) {
    actions.announceDelivery({ stock: store, sku, quantity: 8, cost: 50 })
    if (may(0.5)) actions.receiveDelivery({ part: true })
    actions.receiveDelivery()
  }
}
