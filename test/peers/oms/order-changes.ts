import { type Response, Router } from 'express'
import type { OmsOrder, OmsState } from './records.ts'
import { refuse, strictBody } from './strict.ts'

const STATUSES = new Set(['ready', 'collected', 'expired'])

/** What may be done to an order: its status, declined goods, parcels, refunds. */
export function changesOf(state: OmsState): Router {
  const router = Router()

  function change(id: string, response: Response, make: (order: OmsOrder) => object | null): void {
    const order = state.orders.find((one) => String(one.id) === id)
    if (!order) return void refuse(response, 'no-such-order', 'id', 404)
    const made = make(order)
    if (!made) return
    order.changedAt = state.now().toISOString()
    response.status(201).json(made)
  }

  router.post('/orders/:id/status', ({ params, body }, response) =>
    change(params.id, response, (order) => {
      const given = strictBody(body, { status: 'text' }, response)
      if (!given) return null
      if (!STATUSES.has(String(given.status))) return refuse(response, 'bad-field', 'status')
      order.status = given.status as OmsOrder['status']
      return { status: order.status }
    }),
  )

  router.post('/orders/:id/declines', ({ params, body }, response) =>
    change(params.id, response, (order) => {
      const given = strictBody(body, { line: 'id', qty: 'number', reference: 'text' }, response)
      if (!given || !hasLine(order, given, response)) return null
      order.declines.push(given as OmsOrder['declines'][number])
      return given
    }),
  )

  router.post('/orders/:id/parcels', ({ params, body }, response) =>
    change(params.id, response, (order) => {
      const given = strictBody(body, { name: 'text', items: 'list' }, response)
      if (!given) return null
      const items = given.items as unknown[]
      if (!items.every((item) => strictBody(item, { gtin: 'text', qty: 'number' }, response))) return null
      const parcel = {
        id: order.id * 10 + order.parcels.length,
        name: String(given.name),
        items: items as { gtin: string; qty: number }[],
      }
      order.parcels.push(parcel)
      return parcel
    }),
  )

  router.post('/orders/:id/refunds', ({ params, body }, response) =>
    change(params.id, response, (order) => {
      const given = strictBody(body, { line: 'id', qty: 'number', pay: 'boolean', reference: 'text' }, response)
      if (!given || !hasLine(order, given, response)) return null
      const refund = { id: order.id * 10 + order.refunds.length, ...(given as Omit<OmsOrder['refunds'][number], 'id'>) }
      order.refunds.push(refund)
      return refund
    }),
  )
  return router
}

function hasLine(order: OmsOrder, { line }: Record<string, unknown>, response: Response): boolean {
  if (order.lines.some(({ id }) => id === line)) return true
  refuse(response, 'no-such-line', 'line')
  return false
}
