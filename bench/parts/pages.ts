import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { ROUTES } from '../../src/console/routes.ts'
import { type HubProcess, startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part } from '../part.ts'
import { vacuum } from '../schemas.ts'
import { startSink } from '../workers.ts'
import { DESTINATIONS, destinationsAt, emailOf, orderNo, receiptNo } from '../years/events.ts'
import { type Filled, fill } from '../years/fill.ts'

const EVENTS = 1_000_000

/** How often each page is looked at, after once that does not count. */
const TIMES = 40

/** Between two scrapes (ms): what the last one read is no longer fresh. */
const SCRAPE_PAUSE = 1_100

const PASSWORD = 'correct horse battery'

/** Looked at by somebody who may see all of them. */
export const pages: Part = {
  name: 'pages',
  about:
    'a million events (--seconds: a thousand a second, 300,000 at least), and every page of the console; scrapes of /metrics',
  onlyNamed: true,
  async run(bench) {
    const count = bench.seconds === null ? EVENTS : Math.max(300_000, bench.seconds * 1_000)
    await using sink = await startSink(DESTINATIONS.map(() => false))
    await using hub = await startHub(bench, { destinations: destinationsAt(sink.ports) })
    let filled: Filled | null = null
    await hub.killAndRestart(async () => {
      filled = await fill(hub.storeUrl, count, bench.say)
      if (bench.postgres) await vacuum(hub.storeUrl)
    })
    if (filled === null) throw new Error('The store was not filled.')
    const looked = await lookAtAll(hub, addressesOf(count))
    const scraped = await scrape(hub)
    const all = looked.map(({ p95 }) => p95)
    const figures = {
      perSecond: 1_000 / (looked.reduce((sum, { p50 }) => sum + p50, 0) / looked.length),
      p50Ms: looked.reduce((sum, { p50 }) => sum + p50, 0) / looked.length,
      p99Ms: Math.max(...all),
      maxMs: Math.max(...looked.map(({ max }) => max)),
    }
    const limits = [
      always(atMost('p95 ms of a page', Math.max(...all), 50)),
      always(atMost('KB of a page', Math.max(...looked.map(({ kb }) => kb)), 100)),
      always(atMost('p95 ms of a scrape', scraped.p95, 5)),
      always(atMost('KB of a scrape', scraped.kb, 200)),
      none('pages that failed', [...looked, scraped].filter(({ failed }) => failed > 0).length),
    ]
    const slowest = looked.toSorted((a, b) => b.p95 - a.p95)
    return judge(bench, pages.name, figures, limits, [
      `${count} events, ${looked.length} pages`,
      ...[...looked, scraped].filter(({ failed }) => failed > 0).map(({ path }) => `failed: ${path}`),
      ...slowest.filter(({ p95, kb }, nth) => nth < 8 || p95 > 50 || kb > 100).map(sentenceOf),
      sentenceOf(scraped),
    ])
  },
}

/** Every page, with what it shows; some more than once. */
function addressesOf(count: number): string[] {
  const middle = Math.floor(count / 40) * 20
  const shown: Record<string, string[]> = {
    '/search': [receiptNo(middle + 1), orderNo(middle), emailOf(17), '90000017', 'SKU-17'].map(
      (text) => `/search?q=${encodeURIComponent(text)}`,
    ),
    '/orders/:number': [`/orders/${orderNo(middle)}`],
    '/failures': ['/failures', '/failures?destination=crm'],
    '/events': ['/events', '/events?kind=SaleCreated', '/events?state=unrouted'],
    '/events/:id': [`/events/${middle}`],
    '/deliveries': ['/deliveries', '/deliveries?state=dead', '/deliveries?destination=crm&kind=SaleCreated'],
    '/deliveries/:id': [`/deliveries/${middle}`],
    '/submissions/:id': ['/submissions/1'],
    '/jobs/:name': ['/jobs/retention'],
    '/audit/:id': ['/audit/1'],
  }
  return ROUTES.filter(({ method }) => method === 'GET').flatMap(
    ({ path }) => shown[path] ?? (path.includes(':') ? [] : [path]),
  )
}

async function lookAtAll(hub: HubProcess, paths: readonly string[]) {
  const pool = new Pool(`http://127.0.0.1:${hub.port}`, { connections: 1 })
  await hub.admin('users', { name: 'kari', role: 'admin', password: PASSWORD })
  const { headers } = await pool.request({
    method: 'POST',
    path: '/console/sign-in',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ name: 'kari', password: PASSWORD }).toString(),
    reset: true,
  })
  const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
  const looked: Looked[] = []
  for (const path of paths) looked.push(await lookAt(pool, `/console${path}`, { cookie }, TIMES, 0))
  await pool.close()
  return looked
}

async function scrape(hub: HubProcess): Promise<Looked> {
  const { key } = await hub.admin<{ key: string }>('keys', { system: 'prometheus', may: 'read:metrics' })
  const pool = new Pool(`http://127.0.0.1:${hub.port}`, { connections: 1 })
  const looked = await lookAt(pool, '/metrics', { authorization: `Bearer ${key}` }, 50, SCRAPE_PAUSE)
  await pool.close()
  return looked
}

type Looked = Awaited<ReturnType<typeof lookAt>>

async function lookAt(pool: Pool, path: string, headers: Record<string, string>, times: number, between: number) {
  const took: number[] = []
  let [kb, failed] = [0, 0]
  for (let time = 0; time <= times; time += 1) {
    if (between > 0) await pause(between)
    const asked = performance.now()
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
    kb = (await body.bytes()).byteLength / 1_000
    if (time > 0) took.push(performance.now() - asked)
    if (statusCode !== 200) failed += 1
  }
  took.sort((a, b) => a - b)
  const quantile = (part: number) => took[Math.ceil(part * took.length) - 1] ?? Number.NaN
  return { path, p50: quantile(0.5), p95: quantile(0.95), max: quantile(1), kb, failed }
}

function sentenceOf({ path, p50, p95, max, kb }: Looked): string {
  const [median, most, longest] = [p50, p95, max].map((ms) => ms.toFixed(ms < 10 ? 1 : 0))
  return `${path}: median ${median} ms, p95 ${most} ms, at most ${longest} ms, ${kb.toFixed(0)} KB`
}
