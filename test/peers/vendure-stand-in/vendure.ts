import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '../../listen.ts'
import { type Article, createBooks, type PlacedByCustomer, placeOrder, type ServiceCall } from './books.ts'
import { execute, GraphqlFault, type Input, isRefused, type Resolver, refused, textOf } from './graphql.ts'
import { moveOrder, type Order, type Variant } from './order.ts'
import { createCustomers, createDrafts, createGoods, createPayments, createQueries } from './resolvers.ts'

export interface VendureOptions extends Credentials {
  articles: readonly Article[]
  /** Names of stock locations; goods lie in the first. */
  locations: readonly string[]
  /** Of the administrator's role; all that there are if left out. */
  permissions?: readonly string[]
}

/** A stand-in for the Admin API of a Vendure shop: strict in what it takes, small in what it does. */
export interface VendureShop extends AsyncDisposable {
  url: string
  orders(): readonly Order[]
  variants(): readonly Variant[]
  locations(): readonly { id: string; name: string }[]
  /** Whether what says nothing of its own is counted; so at first. */
  settings: { trackInventory: boolean }
  /** Places an order as a customer does, paid by card: reserved, not taken. */
  place(order: PlacedByCustomer): Order
  mutate(field: string, given: Input): unknown
  /** The payment service refuses the next call of this kind. */
  refuse(call: ServiceCall): void
  endSessions(): void
}

/** The only one, besides what it is called without a token. */
const CHANNEL = { id: '1', code: '__default_channel__', token: 'the-channel-of-the-sandbox' }

const ADMINISTRATOR_ID = '1'

export async function startVendureShop(options: VendureOptions): Promise<VendureShop> {
  const books = createBooks(options.articles, options.locations)
  const sessions = createSessions(options)
  const { permissions = ['SuperAdmin'] } = options
  const queries: Record<string, Resolver> = {
    ...createQueries(books),
    me: () => ({ id: ADMINISTRATOR_ID, channels: [{ ...CHANNEL, permissions }] }),
    activeChannel: () => CHANNEL,
  }
  const mutations: Record<string, Resolver> = {
    ...{ ...createDrafts(books), ...createPayments(books), ...createGoods(books), ...createCustomers(books) },
    addNoteToOrder(given) {
      const { id, note, isPublic } = Object(given.input)
      const order = books.order(String(id))
      order.note(String(note), isPublic === true)
      return order
    },
    transitionOrderToState: (given) => moveById(textOf(given, 'id'), textOf(given, 'state')),
  }
  const server = await listen((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' }
    try {
      if (request.method !== 'POST' || request.url !== '/admin-api') return void response.writeHead(404).end()
      const { query, variables } = Object(JSON.parse(body)) as { query: string; variables?: Input }
      const data = execute(query, variables ?? {}, resolversFor(request, headers))
      response.writeHead(200, headers).end(JSON.stringify({ data }))
    } catch (error) {
      const fault = faultOf(error)
      response.writeHead(fault.status, headers).end(JSON.stringify({ errors: [fault], data: null }))
    }
  }

  /** Whoever asks must be allowed to, except to log in. */
  function resolversFor(request: IncomingMessage, headers: Record<string, string>): Record<string, Resolver> {
    const { authorization, 'vendure-api-key': apiKey, 'vendure-token': token } = request.headers
    const allowed = Object.entries({ ...queries, ...mutations }).map(([name, resolver]): [string, Resolver] => [
      name,
      (given) => {
        if (token !== undefined && token !== CHANNEL.token)
          throw new GraphqlFault('No such channel', 'CHANNEL_NOT_FOUND')
        sessions.allow({ authorization, apiKey: apiKey?.toString() })
        // Behind an API key there is no administrator.
        if (name === 'me' && apiKey !== undefined) throw new GraphqlFault('You are not authorized', 'FORBIDDEN')
        return resolver(given)
      },
    ])
    return { ...Object.fromEntries(allowed), login: (given) => logIn(given, headers) }
  }

  function logIn({ username, password }: Input, headers: Record<string, string>): unknown {
    const session = sessions.logIn(username, password)
    if (isRefused(session)) return session
    headers['vendure-auth-token'] = String(session.token)
    return { id: ADMINISTRATOR_ID }
  }

  function moveById(id: string, state: string) {
    return moveOrder(books.order(id), state)
  }

  return {
    url: `${server.url}/admin-api`,
    orders: () => books.orders,
    variants: () => books.variants,
    locations: () => books.locations,
    settings: books.settings,
    place: (order) => placeOrder(books, order),
    mutate: (field, given) => mutations[field]?.(given),
    refuse: (call) => void books.refusals.push(call),
    endSessions: () => sessions.end(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function faultOf(error: unknown): GraphqlFault {
  if (error instanceof GraphqlFault) return error
  return new GraphqlFault('This is no GraphQL request', 'BAD_REQUEST', 400)
}

interface Credentials {
  username: string
  password: string
  apiKey: string
}

/** Who may ask: an administrator with a session, or whoever has the API key. */
function createSessions({ username, password, apiKey }: Credentials) {
  const tokens = new Set<string>()
  return {
    /** Throws the fault that the server gives to everybody else. */
    allow(headers: { authorization?: string | undefined; apiKey?: string | undefined }) {
      if (headers.apiKey === apiKey || tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '')) return
      throw new GraphqlFault('You are not currently authorized to perform this action', 'FORBIDDEN')
    },
    logIn(name: unknown, secret: unknown) {
      if (name !== username || secret !== password) return refused('InvalidCredentialsError')
      const token = randomBytes(16).toString('hex')
      tokens.add(token)
      return { token }
    },
    end: () => tokens.clear(),
  }
}
