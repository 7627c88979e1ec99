import { z } from 'zod'
import type { IntakeItem } from '../../../ports/intake.ts'
import type { ShopApi } from '../api.ts'
import type { WooCommerceOptions } from '../options.ts'
import { saysCode } from '../says-code.ts'
import { pushedItems } from './asked-items.ts'
import { WholeOrder } from './order.ts'

/**
 * The shop says no more of what is gone than its id. Exactly this: the shop signs the body alone, so that whoever has a signed
 * order could send it again under this topic.
 */
export const Gone = z.strictObject({ id: z.number().int() })

/** How long the shop may take to answer (milliseconds): it waits a minute for its webhook to be taken. */
const WITHIN = 10_000

/**
 * The meaning of a deleted order. The id of a deleted customer or product is signed alike, so the shop itself is asked: an order
 * that is not there (any more) is off; one that is there is what the shop says of it, in the trash for instance. The shop
 * sends a webhook once: where it does not answer, the deletion is kept for a person.
 */
export async function deletedItems(
  api: Pick<ShopApi, 'get'>,
  { id }: z.output<typeof Gone>,
  delivery: string,
  options: WooCommerceOptions,
): Promise<IntakeItem[]> {
  const theirId = String(id)
  // Where no plugin gives another one, its number is its id.
  const value = { orderNo: theirId }
  const gone: IntakeItem = {
    resource: 'cancellations',
    key: `order/${id}/${delivery}/deleted`,
    theirId,
    place: null,
    value,
  }
  try {
    const { value: order } = await api.get(`/orders/${id}`, {}, WholeOrder, AbortSignal.timeout(WITHIN))
    return await pushedItems({ api, options }, order)
  } catch (error) {
    if (saysCode(error, 'woocommerce_rest_shop_order_invalid_id')) return [gone]
    const why = error instanceof Error ? error.message : String(error)
    return [{ ...gone, faults: [`whether order ${id} is deleted could not be asked (${why}): ${WHAT_TO_DO}`] }]
  }
}

const WHAT_TO_DO =
  'look in the shop. If it is gone, cancel it for the store with DELETE /v1/orders/<its number>, or call the store'
