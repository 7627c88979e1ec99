import { PermanentError } from '../../../domain/values/errors.ts'
import type { Attempt, Effect } from '../../../ports/attempt.ts'
import type { SentParcel } from '../../../ports/orders.ts'
import type { Shop, Step } from '../shop.ts'
import { capture } from './capture.ts'
import { orderOf } from './find-order.ts'
import { lineOf, pieces } from './order-lines.ts'
import { type ShopOrder, unfulfilled } from './shop-order.ts'

type Lines = { orderLineId: string; quantity: number }[]

/**
 * A parcel that the store has sent: with the first one the payment is taken; then a fulfilment with the parcel's id as its
 * tracking code, shipped.
 */
export async function shipParcel(shop: Shop, { order: update, parcel }: SentParcel, attempt: Attempt): Promise<Effect> {
  const { order, fact } = await capture(shop, await orderOf(shop, update, attempt), attempt)
  const before = fulfilmentOf(order, parcel)
  const sent = before ?? (await fulfil(shop, linesOf(shop, order, parcel), parcelIn(parcel.id), attempt))
  if (sent.state === 'Created' || sent.state === 'Pending') await move(shop, sent.id, 'Shipped', attempt)
  return {
    links: [{ kind: 'shipment', id: parcel.id, theirId: sent.id }],
    note: `order ${order.code}, ${fact}, fulfilment ${sent.id}${before ? ', there before' : ''}`,
  }
}

/** The fulfilment of a parcel. */
export function fulfilmentOf({ fulfillments }: ShopOrder, { id }: SentParcel['parcel']) {
  return fulfillments.find(({ trackingCode }) => trackingCode === id)
}

/** Adds a fulfilment of these lines. */
export async function fulfil(
  { api, operations, options }: Shop,
  lines: Lines,
  { method, trackingCode }: { method: string; trackingCode: string | null },
  { signal }: Step,
): Promise<{ id: string; state: string }> {
  const texts = [
    { name: 'method', value: method },
    { name: 'trackingCode', value: trackingCode },
  ]
  const given = texts.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]))
  const input = { lines, handler: { code: options.fulfillmentHandler, arguments: given } }
  return await api.run(operations.fulfil, { input }, signal)
}

/** Brings every fulfilment that is under way to its end; gives how many. */
export async function deliver(shop: Shop, order: ShopOrder, step: Step): Promise<number> {
  const open = underWay(order)
  for (const { id } of open) await move(shop, id, 'Delivered', step)
  return open.length
}

/** Fulfilments that have not come to their end. */
export function underWay({ fulfillments }: ShopOrder) {
  return fulfillments.filter(({ state }) => state !== 'Delivered' && state !== 'Cancelled')
}

async function move({ api, operations }: Shop, id: string, state: string, { signal }: Step): Promise<void> {
  await api.run(operations.transitionFulfilment, { id, state }, signal)
}

function parcelIn(trackingCode: string) {
  return { method: 'Shipped from store', trackingCode }
}

/** The lines of a parcel, with what is left of each. An article may stand in several lines. */
function linesOf(shop: Shop, order: ShopOrder, { id, items }: SentParcel['parcel']): Lines {
  const left = new Map(order.lines.map((line) => [line.id, unfulfilled(line)]))
  return items.flatMap(({ gtin, quantity }) => {
    const { productVariant } = lineOf(order, { rowId: null, gtin }, shop.options)
    let rest = pieces(quantity)
    const same = order.lines.filter((line) => line.productVariant.id === productVariant.id)
    const taken = same.flatMap((line) => {
      const part = Math.min(rest, left.get(line.id) ?? 0)
      rest -= part
      left.set(line.id, (left.get(line.id) ?? 0) - part)
      return part > 0 ? [{ orderLineId: line.id, quantity: part }] : []
    })
    if (rest === 0) return taken
    throw new PermanentError(
      `${shop.api.destination}: the parcel ${id} has ${rest} of ${gtin} more than is left of order ${order.code}`,
      { code: 'parcel-too-large' },
    )
  })
}
