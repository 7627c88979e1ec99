import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { ANY_ORDER, READ_ALL, READ_METRICS, SCOPES, type Scope } from '../../src/domain/scope.ts'
import { startTestHub, type TestHub } from '../hub.ts'
import { BODY, type Credential, CUSTOMERS_TOKEN, everyCredential, type Good, ORDERS_TOKEN } from './credentials.ts'
import { type LiveRoute, liveRoutes } from './live-routes.ts'
import { OWN_SHOP } from './order-feeds/given.ts'

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
