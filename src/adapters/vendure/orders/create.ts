import type { TillOrder } from '../../../domain/orders/order.ts'
import { PermanentError } from '../../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { Shop, Step } from '../shop.ts'
import { findVariants } from '../stock/variants.ts'
import { type Basket, basketOf } from './basket.ts'
import { complete } from './complete.ts'
import { createDraft, deleteDraft, fillDraft } from './draft.ts'
import { findByKey } from './find-order.ts'
import { requireManualMethod } from './manual-method.ts'
import type { ShopOrder } from './shop-order.ts'

/** A paid order of the shop. */
export async function createOrder(shop: Shop, order: TillOrder, attempt: Attempt): Promise<Effect> {
  // A try that failed in the middle has left its order behind.
  const found = isRepeated(attempt) ? await findCreated(shop, order, attempt) : null
  if (found) return found
  if (order.lines.length > 0) await requireManualMethod(shop, attempt.signal)
  const basket = await readBasket(shop, order, attempt.signal)
  requireGoods(shop, order, basket)
  const draft = await createDraft(shop, attempt)
  if (draft.state === 'Draft') await fillOrDelete(shop, draft, { order, basket }, attempt)
  return await complete(shop, draft, { order, basket }, attempt)
}

/** The order of an earlier try, brought to its end; a draft of it is deleted, because how far it came is not known. */
export async function findCreated(shop: Shop, order: TillOrder, attempt: Attempt): Promise<Effect | null> {
  const found = await findByKey(shop, attempt)
  if (!found) return null
  if (found.state === 'Draft') {
    await deleteDraft(shop, found, attempt)
    return null
  }
  return await complete(shop, found, { order, basket: await readBasket(shop, order, attempt.signal) }, attempt)
}

/** A basket of the till as a draft order, for the shop to go on with. */
export async function createDraftOrder(shop: Shop, order: TillOrder, attempt: Attempt): Promise<Effect> {
  const found = isRepeated(attempt) ? await findDraft(shop, order, attempt) : null
  if (found) return found
  const basket = await readBasket(shop, order, attempt.signal)
  const draft = await createDraft(shop, attempt)
  await fillOrDelete(shop, draft, { order, basket }, attempt)
  return draftEffect(order, draft)
}

/** The draft of an earlier try, where it is whole; one that is not is deleted. */
export async function findDraft(shop: Shop, order: TillOrder, attempt: Attempt): Promise<Effect | null> {
  const found = await findByKey(shop, attempt)
  if (!found) return null
  // The shipping method is the last that a draft gets.
  if (found.state !== 'Draft' || found.shippingLines.length > 0) return draftEffect(order, found)
  await deleteDraft(shop, found, attempt)
  return null
}

function isRepeated({ firstTriedAt, previous }: Attempt): boolean {
  return firstTriedAt !== null || previous !== 'none'
}

async function readBasket(shop: Shop, order: TillOrder, signal: AbortSignal): Promise<Basket> {
  return basketOf(order, await findVariants(shop, order.lines, signal))
}

/** Vendure takes no order that has no line, and none that costs less than nothing. */
function requireGoods({ api }: Shop, { lines, total }: TillOrder, { goods }: Basket): void {
  if (total.amount.startsWith('-'))
    throw new PermanentError(`${api.destination}: an order below 0 cannot be placed in Vendure`, { code: 'below-zero' })
  if (lines.length === 0 || goods.length > 0) return
  const what = lines.map(({ sku, gtin }) => sku ?? gtin ?? 'no SKU').join(', ')
  throw new PermanentError(`${api.destination}: the shop has none of the goods of the order (${what})`, {
    code: 'no-product',
  })
}

/** A draft that cannot become an order is not left behind. */
async function fillOrDelete(
  shop: Shop,
  draft: ShopOrder,
  wanted: { order: TillOrder; basket: Basket },
  step: Step,
): Promise<void> {
  try {
    await fillDraft(shop, draft, wanted, step)
  } catch (error) {
    if (error instanceof PermanentError) await deleteDraft(shop, draft, step).catch(() => undefined)
    throw error
  }
}

function draftEffect({ number }: TillOrder, { id, code, state }: ShopOrder): Effect {
  const left = state === 'Draft' ? '' : ` (${state} by now)`
  return { links: [{ kind: 'draft', id: number, theirId: id }], note: `draft order ${code}${left}` }
}
