import { Router } from 'express'
import { z } from 'zod'
import { findArticle } from '../goods/article.ts'
import { stockOfId } from '../goods/door.ts'
import type { Goods } from '../goods/held.ts'
import type { Reservation, Reservations } from '../goods/reservations.ts'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'

const Item = z.object({
  qty: z.int().positive(),
  gtin: z.string().nullish(),
  identity: z.string().nullish(),
  externalSKU: z.string().nullish(),
})

const Asked = z.object({
  stockId: z.int(),
  customerId: z.int().nullish(),
  extId: z.string().nullish(),
  reservationLengthInHours: z.int().positive().nullish(),
  items: z.array(Item).min(1),
})
const Changed = z.object({ reservationLengthInHours: z.int().positive().nullish(), qty: z.int().positive().nullish() })
const NAMES = [Asked, Item].flatMap(({ shape }) => Object.keys(shape))

/** Goods that are kept for somebody (facts, §3 "Stockreservation"). */
export function createReservationsApi(reservations: Reservations, goods: Goods): Router {
  const router = Router()
  router.post('/api/Stockreservation', ({ body }, response) => {
    const { stockId, customerId = null, extId = null, reservationLengthInHours, items } = readBody(Asked, body, NAMES)
    const lines = items.map(({ qty, ...name }, index) => {
      const article = findArticle(goods, name)
      const called = name.gtin ?? name.identity ?? name.externalSKU
      if (!article) throw new Refusal(400, `items[${index}]: there is no ${called}.`)
      return { article, quantity: qty }
    })
    const kept = reservations.keep(stockOfId(stockId), lines, { customerId, extId, hours: reservationLengthInHours })
    response.json(kept.map(recordOf))
  })
  router.get('/api/Stockreservation', (request, response) => {
    const { StockId } = stockOfId(Number(request.get('x-stockid')))
    const here = reservations.all().filter(({ stock, state }) => stock.StockId === StockId && state === 'Kept')
    response.json(here.map(recordOf))
  })
  router.put('/api/Stockreservation/:id', ({ body, params: { id } }, response) => {
    const { reservationLengthInHours: hours, qty } = readBody(Changed, body ?? {}, Object.keys(Changed.shape))
    reservations.change(id, { hours, quantity: qty })
    response.status(204).end()
  })
  router.put('/api/Stockreservation/release/:id', ({ params: { id } }, response) => {
    reservations.end(id, 'Released')
    response.status(204).end()
  })
  return router
}

function recordOf({ id, stock, article, identity, quantity, customerId, extId, createdAt, expiresAt }: Reservation) {
  return {
    id,
    stockId: stock.StockId,
    customerId,
    saleId: null,
    extId,
    comment: '',
    ins: new Date(createdAt).toISOString(),
    expirationDateTime: new Date(expiresAt).toISOString(),
    quantity,
    gtin: article.gtin,
    identity,
    externalSKU: article.sku,
  }
}
