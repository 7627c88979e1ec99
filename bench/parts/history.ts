import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type HubProcess, startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part } from '../part.ts'

const STORES = 20
const DAYS = 31
const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

export const history: Part = {
  name: 'history',
  about:
    'a million sales lines (--seconds: 100,000) are pulled, mirrored and exported; the hub is killed with -9 in the middle',
  async run(bench) {
    const perDay = Math.ceil((bench.seconds === null ? 1_000_000 : 100_000) / DAYS)
    const count = perDay * DAYS
    const first = dayOf(Date.now() - (DAYS - 1) * DAY)
    await using platform = await openPlatform(perDay, first)
    await using hub = await startHub(bench, {
      destinations: {},
      platform: { baseUrl: platform.url, ...KEYS },
      more: { mirror: 'all', pulls: { since: first } },
    })
    const begun = performance.now()
    await hub.admin('jobs/stores/run', {})
    // It is cut off below: whatever becomes of it is right.
    const running = pull(hub).catch(() => 'failed')
    await until(() => platform.daysRead() >= DAYS / 2)
    const peakBefore = hub.peakMb()
    await hub.killAndRestart()
    await running
    await until(async () => (await pull(hub)) === 'done')
    await until(async () => (await hub.waiting()).mirror === 0)
    const pulled = (performance.now() - begun) / 1_000
    const peakMb = Math.max(peakBefore, hub.peakMb())
    bench.say(`${count} lines are in the mirror after ${pulled.toFixed(1)} s`)

    const exported = await exportLines(hub)
    const figures = { perSecond: count / pulled, p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN }
    return judge(
      bench,
      history.name,
      figures,
      [
        none('lines missing or twice', Math.abs(exported.lines - count) + exported.twice),
        always(atMost('peak MB of the hub', Math.max(peakMb, hub.peakMb()), 300)),
      ],
      [
        `pulled and mirrored in ${pulled.toFixed(1)} s, exported as CSV in ${exported.seconds.toFixed(1)} s`,
        `peak memory ${Math.round(peakMb)} MB until it was mirrored, ${Math.round(hub.peakMb())} MB after the export`,
      ],
    )
  },
}

const DAY = 86_400_000

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** Runs the job until it has ended; `done`: there was nothing to go on with. */
async function pull(hub: HubProcess): Promise<'done' | 'failed'> {
  await hub.admin('jobs/sales-lines/run', {}).catch(() => undefined)
  for (;;) {
    const { jobs } = await hub.admin<{ jobs: { name: string; running: boolean; cutOff: boolean; problem: unknown }[] }>(
      'jobs',
    )
    const job = jobs.find(({ name }) => name === 'sales-lines')
    if (job && !job.running) return job.problem === null && !job.cutOff ? 'done' : 'failed'
    await sleep(200)
  }
}

async function until(state: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 600_000
  while (!(await state())) {
    if (performance.now() > deadline) throw new Error('Waited ten minutes in vain.')
    await sleep(100)
  }
}

/** As an operator does it; then each line is counted, by its id. */
async function exportLines(hub: HubProcess): Promise<{ lines: number; twice: number; seconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'tillbridge-bench-'))
  try {
    const file = join(folder, 'lines.csv')
    const key = await hub.createKey('bench', ['read:sales-lines'])
    const begun = performance.now()
    const headers = ['-H', 'Accept: text/csv', '-H', `Authorization: Bearer ${key}`]
    await promisify(execFile)('curl', ['-sSf', '-o', file, ...headers, `http://127.0.0.1:${hub.port}/v1/sales-lines`])
    const seconds = (performance.now() - begun) / 1_000
    const ids = new Set<string>()
    let lines = -1
    for await (const line of createInterface({ input: createReadStream(file) })) {
      lines += 1
      if (lines > 0) ids.add(line.slice(0, line.indexOf(',')))
    }
    return { lines, twice: lines - ids.size, seconds }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A platform that has nothing but stores and sales lines, so many a day. */
async function openPlatform(perDay: number, first: string) {
  const read = new Set<string>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://platform')
    response.setHeader('content-type', 'application/json')
    if (pathname === '/api/Stores') return void response.end(JSON.stringify(storeRecords()))
    if (pathname !== '/odata/Saleslines') return void response.writeHead(404).end('{}')
    const day = (searchParams.get('from') ?? '').replaceAll("'", '')
    const nth = Math.round((Date.parse(day) - Date.parse(first)) / DAY)
    const value = nth >= 0 && nth < DAYS ? linesOf(day, nth, perDay) : []
    read.add(day)
    response.end(JSON.stringify({ 'odata.metadata': '', value }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    daysRead: () => read.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function storeRecords(): object[] {
  return Array.from({ length: STORES }, (_, index) => ({
    StoreId: 40 + index,
    StoreNo: String(101 + index),
    StoreName: `Store ${index}`,
    StockId: 10 + index,
    CountryCode: 'NO',
    Currency: 'NOK',
    TimeZoneInfo: 'Europe/Oslo',
  }))
}

/** A day's lines of all stores, from 9 to 21 o'clock. */
function linesOf(day: string, nth: number, perDay: number): object[] {
  return Array.from({ length: perDay }, (_, index) => {
    const id = 1_000_000 + nth * perDay + index
    const seconds = 9 * 3_600 + Math.floor((index / perDay) * 12 * 3_600)
    return {
      SALELINEID: id,
      SALEID: Math.floor(id / 3),
      STOREID_FK: 40 + (index % STORES),
      STOCKID_FK: 10 + (index % STORES),
      PRODUCTID_FK: index % 5_000,
      SaleDateTime: `${day}T${new Date(seconds * 1_000).toISOString().slice(11, 19)}.417`,
      Qty: index % 17 === 0 ? '-1.00' : '1.00',
      Price: '349.50',
      FullPrice: '399.00',
      Discount: '49.50',
      Cost: '140.00',
      VATPercent: '0.250',
      Currency: 'NOK',
      EAN: String(7_090_000_000_000 + (index % 5_000)),
    }
  })
}
