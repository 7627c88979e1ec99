import { RetryLaterError } from '../../../domain/values/errors.ts'
import type { IntakeItem } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { refundsOf } from '../refunds/refunds.ts'
import { asksForRefunds, orderItems } from './items.ts'
import type { WholeOrder } from './order.ts'

/** How long the shop may take to answer (milliseconds): it waits a minute for its webhook to be taken. */
const WITHIN = 10_000

interface Asking {
  api: Pick<ShopApi, 'get'>
  options: WooCommerceOptions
}

/** The meaning of an order in a webhook, which the shop sends once: what cannot be asked is kept for a person. */
export function pushedItems(asking: Asking, order: WholeOrder): Promise<IntakeItem[]> {
  return askedItems(asking, order, AbortSignal.timeout(WITHIN)).catch((error: unknown) => unasked(asking, order, error))
}

/** The meaning of an order that a poll read. Throws where the shop may answer later; what it answers to one stops no other. */
export function polledItems(asking: Asking, order: WholeOrder, signal: AbortSignal): Promise<IntakeItem[]> {
  return askedItems(asking, order, signal).catch((error: unknown) => {
    if (error instanceof RetryLaterError && error.code !== 'unreadable-answer') throw error
    return unasked(asking, order, error)
  })
}

async function askedItems({ api, options }: Asking, order: WholeOrder, signal: AbortSignal): Promise<IntakeItem[]> {
  if (!asksForRefunds(order, options)) return orderItems(order, options)
  return orderItems(order, options, await refundsOf({ api }, order, signal))
}

function unasked({ options }: Asking, order: WholeOrder, error: unknown): IntakeItem[] {
  const why = error instanceof Error ? error.message : String(error)
  const fault = `which pieces of order ${order.number} were refunded could not be asked (${why}): ${WHAT_TO_DO}`
  return orderItems(order, options).map((item) => ({ ...item, faults: [fault] }))
}

const WHAT_TO_DO = 'look at its refunds in the shop, and save it there once more, or call the store'
