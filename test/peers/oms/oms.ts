import { randomUUID } from 'node:crypto'
import express, { type RequestHandler, Router } from 'express'
import { listen } from '../../listen.ts'
import {
  createCustomersApi,
  createOrdersApi,
  emptyOrder,
  type OmsCustomer,
  type OmsOrder,
  type OmsState,
  refuse,
} from './resources.ts'

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
