import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Arrival } from '../../src/storage/arrival.ts'
import { openStorage } from '../../src/storage/open.ts'
import { startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part } from '../part.ts'
import { runJob } from '../run-job.ts'
import { summarize } from '../wire/latencies.ts'
import { startLive } from '../workers.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const KIND = 'SaleCreated'
const WEBHOOK = 'a7c1c3f0-0000-4000-8000-000000000001'
const DAY = 86_400_000

/** Days that the log tells of, one less than it reaches back. */
const DAYS = 6

/** Events that were lost on the way, all in the last tenth of the log: each is to be found, and holds up what is proven. */
const LOST = 10

/** Events kept at once. */
const TOGETHER = 1_000

export const ledger: Part = {
  name: 'ledger',
  about: 'a million records of the event log (--seconds: 100,000) are scanned and matched, while webhooks come live',
  async run(bench) {
    const count = bench.seconds === null ? 1_000_000 : 100_000
    const log = createLog(count, Date.now())
    await using platform = await openPlatform(log)
    await using hub = await startHub(bench, {
      destinations: {},
      platform: { baseUrl: platform.url, ...KEYS, preset: 'frontsystems-v2' },
      isReached: true,
    })
    platform.sendsTo(`http://127.0.0.1:${hub.port}${hub.webhookPath(KIND)}`)
    const begun = performance.now()
    await hub.killAndRestart(() => fill(hub.storeUrl, log))
    bench.say(`${count - LOST} events are kept after ${((performance.now() - begun) / 1_000).toFixed(1)} s`)

    const peakBefore = hub.peakMb()
    await using live = await startLive(hub, KIND)
    const scanned = performance.now()
    const note = await runJob(hub, 'reconcile-log')
    const seconds = (performance.now() - scanned) / 1_000
    const latencies = await live.end()
    const { gaps } = await hub.admin<{ gaps: { state: string }[] }>('gaps?source=log&limit=500')
    const { watermarks } = await hub.admin<{ watermarks: { from: number; until: number }[] }>('completeness')
    const proven = watermarks.reduce((most, { from, until }) => Math.max(most, until - from), 0)
    const figures = { perSecond: count / seconds, ...summarize(latencies) }
    return judge(
      bench,
      ledger.name,
      figures,
      [
        atMost('seconds', seconds, 60),
        always(atMost('peak MB of the hub', hub.peakMb(), 300)),
        atMost('p99 ms of live accepts', figures.p99Ms, 50),
        none('losses that were not found', LOST - gaps.length),
        none('found that were none', gaps.length - LOST),
        always(atMost('days that are not proven', DAYS * 0.89 - proven / DAY, 0)),
      ],
      [
        `peak memory ${Math.round(peakBefore)} MB before it began`,
        `scanned in ${seconds.toFixed(1)} s: ${note}`,
        `${platform.answered()} answers of the log`,
      ],
    )
  },
}

/** Records of a log, evenly over some days until an instant, without one in memory. */
function createLog(count: number, end: number) {
  const begin = end - DAYS * DAY
  const step = (end - begin) / count
  return {
    count,
    idOf: (nth: number) => `b0000000-0000-4000-8000-${nth.toString(16).padStart(12, '0')}`,
    atOf: (nth: number) => Math.floor(begin + nth * step),
    isLost: (nth: number) => nth >= count * 0.9 && nth % Math.floor((count * 0.1) / LOST) === 7,
    /** Numbers of the records from one instant to another, both included. */
    between: (from: number, to: number) => ({
      first: Math.max(0, Math.ceil((from - begin) / step) - 1),
      end: Math.min(count, Math.floor((to - begin) / step) + 2),
    }),
  }
}

type Log = ReturnType<typeof createLog>

/** The events that came, as a hub keeps them, with nothing owed. */
async function fill(storeUrl: string, log: Log): Promise<void> {
  await using storage = await openStorage(storeUrl, { sameBytesWindow: 0 })
  for (let from = 0; from < log.count; from += TOGETHER) {
    const numbers = Array.from({ length: Math.min(TOGETHER, log.count - from) }, (_, index) => from + index)
    await storage.accept(numbers.filter((nth) => !log.isLost(nth)).map((nth) => arrivalOf(log, nth)))
  }
}

function arrivalOf(log: Log, nth: number): Arrival {
  const id = log.idOf(nth)
  const at = log.atOf(nth)
  const body = Buffer.from(JSON.stringify({ saleGuid: id, receiptNo: nth }))
  return {
    kind: KIND,
    origin: 'platform',
    subscription: 'all',
    receivedAt: at,
    headers: { 'content-type': 'application/json' },
    body,
    bodyHash: hash('sha256', body).slice(0, 32),
    transportKey: id,
    identity: id,
    versioned: false,
    exact: true,
    entity: null,
    facts: null,
    problem: null,
    deliveries: [],
  }
}

/** A platform that has nothing but one subscription and its log. */
async function openPlatform(log: Log) {
  let callback = ''
  let answered = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://platform')
    response.setHeader('content-type', 'application/json')
    if (pathname === '/api/Webhooks') {
      const subscribed = [{ id: WEBHOOK, webhookId: WEBHOOK, event: KIND, url: callback, storeId: null }]
      return void response.end(JSON.stringify(callback === '' ? [] : subscribed))
    }
    if (pathname !== `/api/WebhooksEvents/${WEBHOOK}`) return void response.writeHead(404).end('{}')
    answered += 1
    const [from, to] = ['from', 'to'].map((name) => Date.parse(`${searchParams.get(name)?.replace(/Z?$/, 'Z')}`))
    response.end(JSON.stringify(recordsOf(log, from ?? 0, to ?? 0)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendsTo(url: string) {
      callback = url
    },
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function recordsOf(log: Log, from: number, to: number): object[] {
  const { first, end } = log.between(from, to)
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const at = new Date(log.atOf(first + index)).toISOString()
    return {
      webhookId: WEBHOOK,
      webhookEventId: log.idOf(first + index),
      createdDateTime: at,
      updatedDateTime: at,
      status: 'OK',
      statusCode: 202,
      success: true,
      runsCounter: 1,
      runs: [],
    }
  })
}
