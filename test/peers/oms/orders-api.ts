import { type Response, Router } from 'express'
import { changesOf } from './order-changes.ts'
import type { OmsLine, OmsOrder, OmsState } from './records.ts'
import { refuse, strictBody } from './strict.ts'

/** `/orders`: create, read one, list by number, reference or time of change, two to a page. */
export function createOrdersApi(state: OmsState): Router {
  const router = Router()

  router.post('/orders', ({ body }, response) => {
    const order = readOrder(state, body, response)
    if (!order) return
    state.orders.push(order)
    response.status(201).json(order)
  })

  router.get('/orders', ({ query }, response) => {
    const { number, reference, changedSince, page, ...others } = query
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return void refuse(response, 'unknown-parameter', unknown, 400)
    if (number === undefined && reference === undefined && changedSince === undefined)
      return void refuse(response, 'parameter-missing', 'number', 400)
    const found = state.orders.filter(
      (order) =>
        (number === undefined || order.number === number) &&
        (reference === undefined || order.reference === reference) &&
        (changedSince === undefined || order.changedAt > String(changedSince)),
    )
    response.json(pageOf(found, Number(page ?? 1)))
  })

  router.get('/orders/:id', ({ params }, response) => {
    const order = state.orders.find(({ id }) => String(id) === params.id)
    if (order) response.json(order)
    else refuse(response, 'no-such-order', 'id', 404)
  })

  router.use(changesOf(state))
  return router
}

const PAGE = 2

function pageOf(orders: OmsOrder[], page: number) {
  const pages = Math.max(1, Math.ceil(orders.length / PAGE))
  return { orders: orders.slice((page - 1) * PAGE, page * PAGE), page, pages }
}

function readOrder(state: OmsState, body: unknown, response: Response): OmsOrder | null {
  const given = strictBody(
    body,
    {
      number: 'text',
      reference: 'text',
      currency: 'text',
      total: 'decimal',
      payment: 'text?',
      buyer: 'any',
      lines: 'list',
    },
    response,
  )
  if (!given) return null
  const lines = readLines(given.lines as unknown[], response)
  const buyer =
    given.buyer === null || given.buyer === undefined
      ? null
      : strictBody(given.buyer, { name: 'text?', email: 'text?', phone: 'text?' }, response)
  if (!lines || (given.buyer && !buyer)) return null
  const now = state.now().toISOString()
  return {
    ...(given as Pick<OmsOrder, 'number' | 'reference' | 'currency' | 'total'>),
    id: 1001 + state.orders.length,
    status: 'new',
    placedAt: now,
    changedAt: now,
    payment: (given.payment as string | undefined) ?? null,
    buyer: buyer && {
      name: String(buyer.name ?? ''),
      email: (buyer.email ?? null) as string | null,
      phone: (buyer.phone ?? null) as string | null,
    },
    pickupAt: null,
    lines,
    declines: [],
    parcels: [],
    refunds: [],
  }
}

function readLines(lines: unknown[], response: Response): OmsLine[] | null {
  const read: OmsLine[] = []
  for (const [index, line] of lines.entries()) {
    const given = strictBody(line, { gtin: 'text', name: 'text', qty: 'number', price: 'decimal' }, response)
    if (!given) return null
    read.push({ id: index + 1, ...(given as Omit<OmsLine, 'id'>) })
  }
  return read
}
