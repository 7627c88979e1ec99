import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import Database from 'better-sqlite3'
import type { Request } from 'express'
import { expect } from 'vitest'
import { ANY_ORDER, READ_ALL, READ_METRICS, SCOPES, type Scope } from '../../src/domain/scope.ts'
import { ADMIN_TOKEN, OLD_WEBHOOK_TOKEN, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { OWN_SHOP } from './order-feeds/given.ts'
import { signatureOf } from './order-feeds/shop.ts'

/** Whom the routes below a path let in. The first that fits counts; a route that none fits has no rule, and fails. */
const RULES: readonly { below: RegExp; opens: (good: Good, route: LiveRoute) => boolean }[] = [
  { below: /^\/health(\/|$)/, opens: () => true },
  { below: /^\/metrics$/, opens: (good) => isKey(good) && [READ_METRICS, READ_ALL].includes(good.scope) },
  { below: /^\/openapi\.json$/, opens: (good) => isKey(good) },
  { below: /^\/webhooks\/:kind/, opens: (good) => good === 'webhooks' },
  { below: /^\/intake\/:destination/, opens: (good) => good === 'intake' },
  { below: /^\/api\/customers\/search$/, opens: (good) => good === 'customers' },
  { below: /^\/api\/orders\/search$/, opens: (good) => good === 'orders' },
  { below: /^\/admin\//, opens: (good) => good === 'admin' },
  { below: /^\/v1\/submissions\//, opens: (good) => isKey(good) },
  { below: /^\/v1\//, opens: (good, route) => isKey(good) && mayUse(good.scope, route) },
]

/** Not let in. 429 stands for a wrong token as 401 does: it is answered where too many of those came. */
const REFUSED = [401, 403, 429]

const TOGETHER = 16

interface Pair {
  route: LiveRoute
  credential: Credential
}

/** Keys for one thing each are many, and alike to whoever asks for no key: there, these stand for all. */
const KEYS_FOR_ALL: readonly Scope[] = ['orders', READ_ALL, READ_METRICS]

/** Whether a short form tries them: each credential where keys count, elsewhere and for HEAD, which is answered as GET is, few keys. */
function isInShort({ route, credential: { good } }: Pair): boolean {
  const keysCount =
    !route.isRest && route.method !== 'HEAD' && !/^\/(admin|webhooks|intake|api|health)\//.test(route.path)
  return keysCount || !isKey(good) || KEYS_FOR_ALL.includes(good.scope)
}

/** Tries each credential on each route (in short: see above): it opens those it is for, and the others change nothing. */
export async function tryEveryRoute(tries: 'all' | 'some'): Promise<void> {
  const isTried = (pair: Pair) => tries === 'all' || isInShort(pair)
  await using hub = await startTestHub({
    destinations: {
      shop: { adapter: OWN_SHOP, intake: { country: 'NO', stores: { Bergen: '102' } } },
      // It is there to be asked; nobody listens.
      web: {
        adapter: 'woocommerce',
        url: 'http://127.0.0.1:9',
        consumerKey: 'ck_of_tests',
        consumerSecret: 'cs_of_tests',
      },
    },
    config: {
      mirror: 'all',
      lookups: {
        customers: { tokens: [CUSTOMERS_TOKEN], ask: ['directory'], perMinute: 1_000 },
        orders: { tokens: [ORDERS_TOKEN], ask: ['web'], perMinute: 1_000 },
      },
    },
  })
  const routes = await liveRoutes(hub)
  const credentials = await everyCredential(hub)
  const doors = routes.filter(({ isRest }) => !isRest)
  const isDoor = ({ method, path }: LiveRoute) => doors.some((door) => door.method === method && door.path === path)
  const rest = routes.filter((route) => route.isRest && !isDoor(route))
  const pairsOf = (all: readonly LiveRoute[]) =>
    all.flatMap((route) => credentials.map((credential) => ({ route, credential }))).filter(isTried)
  const pairs = pairsOf(doors)
  const before = contentOf(hub)

  const refused = await tried(
    hub,
    pairs.filter((pair) => !mayOpen(pair)),
  )
  const nowhere = await tried(hub, pairsOf(rest))
  expect(refused.filter(({ status }) => !REFUSED.includes(status)).map(reported)).toEqual([])
  expect(nowhere.filter(({ status }) => status !== 405).map(reported)).toEqual([])
  expect(contentOf(hub)).toEqual(before)

  const opened = await tried(hub, pairs.filter(mayOpen))
  const isShut = ({ status }: Pair & { status: number }) => [...REFUSED, 405].includes(status) || status >= 500
  expect(opened.filter(isShut).map(reported)).toEqual([])
  // A router that cannot be read, or a rule that fits nothing, would prove nothing.
  expect(doors.length).toBeGreaterThan(50)
  expect(RULES.filter(({ below }) => !doors.some(({ path }) => below.test(path)))).toEqual([])
  expect(refused.length).toBeGreaterThan(1_000)
}

function isKey(good: Good): good is Exclude<Good, string> {
  return typeof good === 'object'
}

/** Who hands something in needs its name among the scopes; who reads needs `read:` and its name, or all of them. */
function mayUse(scope: string, { method, path }: LiveRoute): boolean {
  const [, , name = ''] = path.split('/')
  if (method !== 'GET' && method !== 'HEAD') return scope === name || (scope === ANY_ORDER && name === 'orders')
  if (!SCOPES.some((one) => one === `read:${name}`)) throw new Error(`No scope says who may read ${name}.`)
  return scope === `read:${name}` || scope === READ_ALL
}

function mayOpen({ route, credential }: Pair): boolean {
  const rule = RULES.find(({ below }) => below.test(route.path))
  if (!rule) throw new Error(`No rule says who may ${route.method} ${route.path}: write one.`)
  return rule.opens(credential.good, route)
}

async function tried(hub: TestHub, pairs: readonly Pair[]): Promise<(Pair & { status: number })[]> {
  const done: (Pair & { status: number })[] = []
  for (let at = 0; at < pairs.length; at += TOGETHER)
    done.push(...(await Promise.all(pairs.slice(at, at + TOGETHER).map((pair) => tryOne(hub, pair)))))
  return done
}

async function tryOne(hub: TestHub, pair: Pair): Promise<Pair & { status: number }> {
  const { route, credential } = pair
  const { method } = route
  const path = `${sampleOf(route.path)}${credential.query && `?${credential.query}`}`
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'every-route', ...credential.headers }
  const body = ['GET', 'HEAD'].includes(method) ? null : BODY
  const { status } = await hub.ask(path, { method: method as 'GET', headers, body })
  return { ...pair, status }
}

function sampleOf(path: string): string {
  const whole = path.replace(/\{[^}]*\}/g, '')
  return whole.replace(':destination', 'shop').replace(/:\w+/g, '1') || '/'
}

function reported({ route, credential, status }: Pair & { status: number }): string {
  return `${route.method} ${route.path} with ${credential.name}: ${status}`
}

/** All that the hub keeps, but for when its own jobs ran. */
function contentOf({ file }: TestHub): Record<string, unknown[]> {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all()
  const kept = tables.filter((name) => !['jobs', 'job_runs'].includes(name))
  const content = Object.fromEntries(kept.map((name) => [name, db.prepare(`select * from "${name}"`).all()]))
  db.close()
  return content
}

const CUSTOMERS_TOKEN = 'token-of-a-pos-for-customers'
const ORDERS_TOKEN = 'token-of-a-pos-for-orders'

const BODY = Buffer.from('{}')

/** What a credential is good for, if it is sent where it belongs. */
type Good = 'nothing' | 'webhooks' | 'intake' | 'admin' | 'customers' | 'orders' | { scope: Scope }

/** Something that somebody might send to be let in. */
interface Credential {
  name: string
  good: Good
  headers: Record<string, string>
  query: string
}

/** Every credential that a hub knows, some that it does not, and each where it does not belong. */
async function everyCredential(hub: TestHub): Promise<Credential[]> {
  const keys = await Promise.all(
    SCOPES.map(async (scope) => ({
      scope,
      ...(await makeKey(hub, scope === ANY_ORDER ? `orders,${ANY_ORDER}` : scope)),
    })),
  )
  const revoked = await makeKey(hub, SCOPES.join(','))
  await hub.admin(`keys/${revoked.id}/revoke`, {})
  const [first] = keys
  if (!first) throw new Error('There are no scopes.')
  return [
    { name: 'nothing', good: 'nothing', headers: {}, query: '' },
    inQuery('a webhook token', WEBHOOK_TOKEN, 'webhooks'),
    inQuery('the old webhook token', OLD_WEBHOOK_TOKEN, 'webhooks'),
    asBearer('the admin token', ADMIN_TOKEN, 'admin'),
    asBearer('the token for customers', CUSTOMERS_TOKEN, 'customers'),
    asBearer('the token for orders', ORDERS_TOKEN, 'orders'),
    ...keys.map(({ scope, key }) => asBearer(`a key for ${scope}`, key, { scope })),
    signed('a signature', signatureOf(BODY), 'intake'),
    inQuery('a wrong token', 'wrong-token-of-the-tests'),
    asBearer('a wrong token', 'wrong-token-of-the-tests'),
    asBearer('a key that is none', first.key.replace(/.{6}$/, 'aaaaaa')),
    asBearer('a revoked key', revoked.key),
    signed('a wrong signature', signatureOf(BODY, 'another secret')),
    ...inWrongPlaces('a webhook token', WEBHOOK_TOKEN).filter(({ query }) => query === ''),
    ...inWrongPlaces('the admin token', ADMIN_TOKEN),
    ...inWrongPlaces('a key', first.key),
    ...inWrongPlaces('the token for customers', CUSTOMERS_TOKEN),
    asBearer('a webhook token', WEBHOOK_TOKEN),
    asBearer('a signature', signatureOf(BODY)),
  ]
}

async function makeKey(hub: TestHub, may: string): Promise<{ key: string; id: string }> {
  return (await hub.admin<{ key: string; id: string }>('keys', { system: 'oms', may })).body
}

function asBearer(name: string, token: string, good: Good = 'nothing'): Credential {
  return { name: `${name} as Bearer`, good, headers: { authorization: `Bearer ${token}` }, query: '' }
}

function inQuery(name: string, token: string, good: Good = 'nothing'): Credential {
  return { name: `${name} in the address`, good, headers: {}, query: `token=${token}` }
}

function signed(name: string, signature: string, good: Good = 'nothing'): Credential {
  return { name, good, headers: { 'x-signature': signature }, query: '' }
}

/** Where people put tokens, and other programs read them. */
function inWrongPlaces(name: string, token: string): Credential[] {
  const basic = Buffer.from(`admin:${token}`).toString('base64')
  return [
    inQuery(name, token),
    { name: `${name} as a password`, good: 'nothing', headers: { authorization: `Basic ${basic}` }, query: '' },
    { name: `${name} as a cookie`, good: 'nothing', headers: { cookie: `token=${token}` }, query: '' },
    { name: `${name} in headers`, good: 'nothing', headers: { 'x-api-key': token, token }, query: '' },
  ]
}

interface LiveRoute {
  method: string
  /** As it was written, with what it is mounted under: `/v1/orders/:orderNo`. */
  path: string
  /** It answers every method, as `method` for one: who finds nothing better ends here. */
  isRest: boolean
}

/** What Express keeps of a route, or of a router or handler that was mounted. */
interface Layer {
  rawPath: string
  route?: { path: string; methods: Record<string, boolean> }
  handle: { stack?: Layer[] }
}

/** Methods that stand for all, where a route takes all. */
const ALL = ['get', 'post', 'put', 'patch', 'delete']

/** All routes of a hub that runs, read from the router that answers its requests. */
async function liveRoutes(hub: TestHub): Promise<LiveRoute[]> {
  const { router } = (await requestOf(hub)).app
  return routesIn((router as unknown as Layer['handle']).stack ?? [], '')
}

/** A request that a hub has answered; Node tells of each that comes, and Express has left its app on it. */
async function requestOf(hub: TestHub): Promise<Request> {
  const { port } = new URL(hub.url)
  let found: Request | null = null
  const look = (message: unknown) => {
    const { request } = message as { request: Request }
    if (String(request.socket.localPort) === port) found = request
  }
  subscribe('http.server.request.start', look)
  await hub.ask('/health/live')
  unsubscribe('http.server.request.start', look)
  if (!found) throw new Error('No server of this process took the request.')
  return found
}

function routesIn(stack: readonly Layer[], mount: string): LiveRoute[] {
  return stack.flatMap(({ rawPath, route, handle }) => {
    if (!route) return handle.stack ? routesIn(handle.stack, join(mount, rawPath)) : []
    const isRest = route.methods._all === true
    const methods = isRest ? ALL : Object.keys(route.methods)
    // Express answers HEAD where there is a GET.
    const answered = methods.includes('get') && !methods.includes('head') ? [...methods, 'head'] : methods
    return answered.map((method) => ({ method: method.toUpperCase(), path: join(mount, route.path), isRest }))
  })
}

function join(mount: string, path: string): string {
  return path === '/' ? mount : mount + path
}
