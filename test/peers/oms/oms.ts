import { randomUUID } from 'node:crypto'
import express, { type RequestHandler, type Response, Router } from 'express'
import { listen } from '../../listen.ts'

const TOKEN = 'token-of-the-oms'
const CLIENT_ID = 'tillbridge'
const CLIENT_SECRET = 'secret-of-the-oms'

/** An OMS as a retailer's own people write one: JSON of its own shape, strict, without idempotency keys. */
export interface Oms extends AsyncDisposable {
  /** The API is at `/api` below it, tokens at `/oauth/token`. */
  url: string
  orders(): OmsOrder[]
  customers(): OmsCustomer[]
  /** By location and GTIN: `oslo/7090012340011`. */
  levels(): ReadonlyMap<string, number>
  /** An order that was placed in the OMS itself. */
  place(given: Partial<OmsOrder> & Pick<OmsOrder, 'number'>): OmsOrder
  tokensIssued(): number
  revokeTokens(): void
  /** The next so many requests that change something are executed, and their connection ends without an answer. */
  loseAnswers(count: number): void
  down(on: boolean): void
}

/** Starts it. It erases everything when it is disposed of. `expiresIn`: how long its tokens are said to be good (seconds). */
export async function startOms({ expiresIn = 3600 }: { expiresIn?: number } = {}): Promise<Oms> {
  const state: OmsState = { orders: [], customers: [], levels: new Map(), isDown: false, lost: 0 }
  const desk = createTokenDesk(expiresIn)
  const app = express()
  app.disable('x-powered-by')
  app.use(desk.router)
  app.use('/api', desk.guard, outageOf(state), express.json(), createOrdersApi(state), createCustomersApi(state))
  app.use('/api', (_, response) => void refuse(response, 'no-such-path', '', 404))
  const server = await listen(app)

  return {
    url: server.url,
    orders: () => state.orders,
    customers: () => state.customers,
    levels: () => state.levels,
    place(given) {
      const order = { ...emptyOrder(state), ...given }
      state.orders.push(order)
      return order
    },
    tokensIssued: desk.issued,
    revokeTokens: desk.revoke,
    loseAnswers(count) {
      state.lost = count
    },
    down(on) {
      state.isDown = on
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function outageOf(state: OmsState): RequestHandler {
  return (request, response, next) => {
    if (state.isDown) return void refuse(response, 'unavailable', '', 503)
    if (request.method !== 'GET' && state.lost > 0) {
      state.lost -= 1
      response.json = () => {
        response.socket?.destroy()
        return response
      }
    }
    next()
  }
}

/** `POST /oauth/token`: client credentials as RFC 6749 has them, 2.3.1 (Basic) and 4.4; its errors as 5.2. */
function createTokenDesk(expiresIn: number) {
  const good = new Set<string>()
  let issued = 0
  const router = Router()
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${encodeURIComponent(CLIENT_SECRET)}`).toString('base64')}`

  router.post('/oauth/token', express.urlencoded({ extended: false }), ({ body, headers }, response) => {
    const isInBody = body?.client_id === CLIENT_ID && body?.client_secret === CLIENT_SECRET
    if (body?.grant_type !== 'client_credentials') response.status(400).json({ error: 'unsupported_grant_type' })
    else if (headers.authorization !== basic && !isInBody) response.status(401).json({ error: 'invalid_client' })
    else {
      const issuedToken = randomUUID()
      good.add(issuedToken)
      issued += 1
      response.set('Cache-Control', 'no-store')
      response.json({ access_token: issuedToken, token_type: 'Bearer', expires_in: expiresIn })
    }
  })

  return {
    router,
    guard: (({ headers }, response, next) => {
      const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
      if (given === TOKEN || good.has(given)) next()
      else response.status(401).json({ error: { code: 'unauthorized', field: 'authorization' } })
    }) satisfies RequestHandler,
    issued: () => issued,
    revoke() {
      good.clear()
    },
  }
}

/** `/orders`: create, read one, list by number, reference or time of change, two to a page. */
function createOrdersApi(state: OmsState): Router {
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
  return {
    ...emptyOrder(state),
    ...(given as Pick<OmsOrder, 'number' | 'reference' | 'currency' | 'total'>),
    payment: (given.payment as string | undefined) ?? null,
    buyer: buyer && {
      name: String(buyer.name ?? ''),
      email: (buyer.email ?? null) as string | null,
      phone: (buyer.phone ?? null) as string | null,
    },
    lines,
  }
}

function emptyOrder(state: OmsState): OmsOrder {
  const now = new Date().toISOString()
  return {
    id: 1001 + state.orders.length,
    number: '',
    reference: null,
    status: 'new',
    placedAt: now,
    changedAt: now,
    currency: 'NOK',
    total: '0',
    payment: null,
    buyer: null,
    pickupAt: null,
    lines: [],
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

const STATUSES = new Set(['ready', 'collected', 'expired'])

/** What may be done to an order: its status, declined goods, parcels, refunds. */
function changesOf(state: OmsState): Router {
  const router = Router()

  function change(id: string, response: Response, make: (order: OmsOrder) => object | null): void {
    const order = state.orders.find((one) => String(one.id) === id)
    if (!order) return void refuse(response, 'no-such-order', 'id', 404)
    const made = make(order)
    if (!made) return
    order.changedAt = new Date().toISOString()
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

/** `PUT /customers/{posId}` creates or replaces one; `GET /customers?email=` or `?phone=` finds; `PUT /stock` sets levels. */
function createCustomersApi(state: OmsState): Router {
  const router = Router()

  router.put('/customers/:posId', ({ params, body }, response) => {
    const given = strictBody(body, { name: 'text', email: 'text?', phone: 'text?', city: 'text?' }, response)
    if (!given) return
    const { posId } = params
    const known = state.customers.find((one) => one.posId === posId)
    const { name, email = null, phone = null, city = null } = given as Partial<OmsCustomer>
    const customer = { id: known?.id ?? 501 + state.customers.length, posId, name: String(name), email, phone, city }
    state.customers = [...state.customers.filter((one) => one !== known), customer]
    response.status(known ? 200 : 201).json(customer)
  })

  router.get('/customers', ({ query }, response) => {
    const { email, phone, ...others } = query
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return void refuse(response, 'unknown-parameter', unknown, 400)
    if (email === undefined && phone === undefined) return void refuse(response, 'parameter-missing', 'email', 400)
    const phones = String(phone ?? '').split(',')
    const found = state.customers.filter((one) =>
      email === undefined ? one.phone !== null && phones.includes(one.phone) : one.email === email,
    )
    response.json({ customers: found })
  })

  router.put('/stock', ({ body }, response) => {
    const given = strictBody(body, { levels: 'list' }, response)
    if (!given) return
    const levels = given.levels as Record<string, unknown>[]
    if (!levels.every((level) => strictBody(level, { location: 'text', gtin: 'text', quantity: 'any' }, response)))
      return
    for (const { location, gtin, quantity } of levels) state.levels.set(`${location}/${gtin}`, Number(quantity))
    response.status(204).end()
  })
  return router
}

/** What a field must be. `?` after it: it may be null, empty or missing. */
type Form = 'text' | 'text?' | 'number' | 'boolean' | 'decimal' | 'id' | 'any' | 'list'

const FORMS: Record<'text' | 'number' | 'boolean' | 'decimal' | 'id' | 'any' | 'list', (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number' && value > 0,
  boolean: (value) => typeof value === 'boolean',
  decimal: (value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value),
  id: (value) => typeof value === 'number' && Number.isInteger(value),
  any: () => true,
  list: (value) => Array.isArray(value) && value.length > 0,
}

/** The body, if it has each field in its form and no other; else null, and the request is refused with the field's name. */
function strictBody(body: unknown, fields: Record<string, Form>, response: Response): Record<string, unknown> | null {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return refuse(response, 'not-an-object', '')
  const given = body as Record<string, unknown>
  const unknown = Object.keys(given).find((name) => !(name in fields))
  if (unknown !== undefined) return refuse(response, 'unknown-field', unknown)
  for (const [name, form] of Object.entries(fields)) {
    const isThere = given[name] !== undefined && given[name] !== null && !(form === 'text?' && given[name] === '')
    const kind = form.replace('?', '') as keyof typeof FORMS
    if (isThere ? !FORMS[kind](given[name]) : !form.endsWith('?') && form !== 'any')
      return refuse(response, 'bad-field', name)
  }
  return given
}

/** Refuses; the message says the value's name back, never its value. */
function refuse(response: Response, code: string, field: string, status = 422): null {
  response.status(status).json({ error: { code, field } })
  return null
}

/* What the OMS keeps. It is home-made: its words and shapes are its own, and it does not deduplicate. */

interface OmsLine {
  id: number
  gtin: string
  name: string
  qty: number
  price: string
}

interface OmsOrder {
  id: number
  /** What the customer knows it by. Two orders may have the same. */
  number: string
  /** The sender's own name of it; null where it was placed here. */
  reference: string | null
  status: 'new' | 'ready' | 'collected' | 'expired'
  placedAt: string
  changedAt: string
  currency: string
  total: string
  payment: string | null
  buyer: OmsBuyer | null
  /** Where it is fetched, by the OMS's own name of the store; null: it is sent. */
  pickupAt: string | null
  lines: OmsLine[]
  declines: { line: number; qty: number; reference: string }[]
  parcels: { id: number; name: string; items: { gtin: string; qty: number }[] }[]
  refunds: { id: number; line: number; qty: number; pay: boolean; reference: string }[]
}

interface OmsBuyer {
  name: string
  email: string | null
  phone: string | null
}

interface OmsCustomer extends OmsBuyer {
  id: number
  posId: string
  city: string | null
}

interface OmsState {
  orders: OmsOrder[]
  customers: OmsCustomer[]
  /** By location and GTIN: `oslo/7090012340011`. */
  levels: Map<string, number>
  isDown: boolean
  /** How many requests that change something lose their answer from now on, though they are executed. */
  lost: number
}
