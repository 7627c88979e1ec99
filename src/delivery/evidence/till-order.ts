import { isSameArticle } from '../../domain/catalogue/article-number.ts'
import { POS_ORDER_CREATED, tillOrder } from '../../domain/orders/order.ts'
import { orderEntity } from '../../domain/orders/order-entity.ts'
import type { PlacedOrder } from '../../domain/orders/placed-order.ts'
import {
  type Candidate,
  type Goods,
  goodsOf,
  holdsGoods,
  lacksGoods,
  theOneMeant,
} from '../../domain/orders/which-order.ts'
import { payloadOf } from '../../domain/queue/event.ts'
import { HeldError } from '../../domain/values/errors.ts'
import { parseDecimal, sumDecimals } from '../../domain/values/money.ts'
import { readSale } from '../../payloads/sale.ts'
import type { Store } from '../../store/store.ts'
import type { NumberedOrder } from '../calling/inputs.ts'

type Books = Pick<Store, 'events' | 'event'>

/**
 * Sees that an event about a number is about the web order of that number, before its customer is told of it: a till may have
 * placed another one under it. Throws a HeldError `ambiguous-order` where the goods do not say that it is the web order.
 */
export async function requireWebOrder({ number, lines }: NumberedOrder, web: PlacedOrder, store: Books): Promise<void> {
  const [sold] = await store.events({ kind: POS_ORDER_CREATED, entity: orderEntity(number), limit: 1 })
  const goods = goodsOf(lines)
  const candidates: Candidate<'web' | 'till'>[] = [candidate('web', number, web.lines, goods)]
  if (sold) candidates.push(candidate('till', `event ${sold.id}`, await linesOf(sold.id, store), goods))
  const meant = theOneMeant('messages', number, candidates)
  if (meant === 'web') return
  if (!sold)
    throw new HeldError(
      `The web order ${number} has none of these goods: another order may have its number. The customer of the web order is not told. Ask the store which it is, tell its customer by hand, then skip this.`,
      { code: 'ambiguous-order' },
    )
  throw new HeldError(
    `The number ${number} is that of a web order and of an order of a till (event ${sold.id}), and the goods are the till's: the customer of the web order is not told. Skip this; tell the till's customer by hand.`,
    { code: 'ambiguous-order' },
  )
}

function candidate<Order extends 'web' | 'till'>(
  is: Order,
  theirId: string,
  lines: readonly Line[],
  goods: readonly Goods[],
): Candidate<Order> {
  const articles = lines.map(({ gtin }) => [gtin])
  return { order: is, is, theirId, holds: has(lines, goods), lacks: lacksGoods(goods, articles) }
}

type Line = Pick<PlacedOrder['lines'][number], 'gtin' | 'quantity'>

/** The lines of the event. None: they are not kept any more, or cannot be read. */
async function linesOf(event: number, store: Books): Promise<readonly Line[]> {
  const body = (await store.event(event))?.body
  if (!body) return []
  try {
    return tillOrder(readSale(payloadOf({ body }))).lines
  } catch {
    return []
  }
}

function has(lines: readonly Line[], goods: readonly Goods[]): boolean {
  const countOf = (gtin: string | null) =>
    sumDecimals(lines.filter((line) => isSameArticle(line.gtin, gtin)).map(({ quantity }) => parseDecimal(quantity)))
  return holdsGoods(
    goods,
    goods.map(({ gtin }) => countOf(gtin)),
  )
}
