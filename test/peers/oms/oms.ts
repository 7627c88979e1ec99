import express, { type RequestHandler } from 'express'
import { listen } from '../../../sandbox/listen.ts'
import { createCustomersApi } from './customers-api.ts'
import { createOrdersApi } from './orders-api.ts'
import type { OmsCustomer, OmsOrder, OmsState } from './records.ts'
import { refuse } from './strict.ts'
import { createTokenDesk } from './tokens.ts'

export interface OmsOptions {
  /** 0, the default: any that is free. */
  port?: number
  host?: string
  token?: string
  clientId?: string
  clientSecret?: string
  /** How long a token by client credentials is said to be good (seconds). */
  expiresIn?: number
  now?: () => number
}

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

/** Starts it. It erases everything when it is disposed of. */
export async function startOms({
  port = 0,
  host = '127.0.0.1',
  token = 'token-of-the-oms',
  clientId = 'tillbridge',
  clientSecret = 'secret-of-the-oms',
  expiresIn = 3600,
  now = Date.now,
}: OmsOptions = {}): Promise<Oms> {
  const state: OmsState = {
    orders: [],
    customers: [],
    levels: new Map(),
    isDown: false,
    lost: 0,
    now: () => new Date(now()),
  }
  const desk = createTokenDesk({ token, clientId, clientSecret, expiresIn })
  const app = express()
  app.disable('x-powered-by')
  app.use(desk.router)
  app.use('/api', desk.guard, outageOf(state), express.json(), createOrdersApi(state), createCustomersApi(state))
  app.use('/api', (_, response) => void refuse(response, 'no-such-path', '', 404))
  const server = await listen(app, port, host)

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

function emptyOrder(state: OmsState): OmsOrder {
  const now = state.now().toISOString()
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
