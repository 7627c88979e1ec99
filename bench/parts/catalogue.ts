import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { type HubProcess, startHub } from '../hub-process.ts'
import { atMost, judge, none, type Part } from '../part.ts'
import { productLine } from '../wire/catalogue.ts'
import { now } from '../wire/clock.ts'
import { type CountingDoor, openDoor } from '../wire/counting-door.ts'

const PRODUCTS = 70_000
const ORDERS = 5
const MAX_BYTES = 2_000_000
const PATIENCE_SECONDS = 300
const KEYS = { apiKey: 'bench-api-key', subscriptionKey: 'bench-subscription-key' }
const BULK = '/api/v2/Products/bulk-upsert'
const ORDER = '/api/Omnichannel'

interface Submission {
  id: number
  accepted: number
  done: boolean
  destinations: { platform?: Record<string, number> }
}

/** What a retailer's first evening looks like: the whole catalogue goes to the platform, and customers order meanwhile. */
export const catalogue: Part = {
  name: 'catalogue',
  about: `${PRODUCTS} products through /v1 to a sandbox platform, ${ORDERS} pickup orders meanwhile`,
  async run(bench) {
    await using platform = await startPlatform(KEYS)
    await using door = await openDoor(platform.url)
    await using hub = await startHub(bench, { destinations: {}, platform: { baseUrl: door.url, ...KEYS } })
    const key = await hub.createKey('erp', ['products', 'orders'])
    const began = now()
    const pushing = push(hub, key)
    const orders = await orderMeanwhile(hub, key, door)
    const { id, accepted } = await pushing
    bench.say(`${accepted} products taken after ${seconds(now() - began)} s`)
    const last = await untilDone(hub, key, id)
    const took = now() - began

    const bulk = door.passed.filter(({ path }) => path === BULK)
    const bytes = bulk.reduce((sum, request) => sum + request.bytes, 0)
    const fewest = Math.ceil(bytes / MAX_BYTES)
    const delivered = last.destinations.platform?.delivered ?? 0
    const slowest = Math.max(...orders)
    const figures = {
      perSecond: PRODUCTS / (took / 1_000),
      p50Ms: orders.toSorted((a, b) => a - b)[Math.floor(orders.length / 2)] ?? Number.NaN,
      p99Ms: slowest,
      maxMs: slowest,
    }
    return judge(
      bench,
      catalogue.name,
      figures,
      [
        atMost('memory MB', hub.peakMb(), 300),
        atMost('requests beyond the fewest', bulk.length - fewest, 2),
        atMost('largest request', Math.max(...bulk.map((request) => request.bytes)), MAX_BYTES),
        atMost('slowest order ms', slowest, 2_000),
        none('products not delivered', PRODUCTS - delivered),
      ],
      [
        `memory at most ${Math.round(hub.peakMb())} MB`,
        `${bulk.length} requests of ${Math.round(bytes / 1_000_000)} MB in all, ${fewest} at least; ${seconds(took)} s`,
        `orders reached the platform after ${orders.map(Math.round).join(', ')} ms (the latencies of the table)`,
      ],
    )
  },
}

async function push(hub: HubProcess, key: string): Promise<Submission> {
  const lines = Readable.from(catalogueLines(), { objectMode: false })
  return await hub.submit<Submission>('products', key, 'the-whole-catalogue', 'application/x-ndjson', lines)
}

function* catalogueLines(): Generator<string> {
  for (let from = 0; from < PRODUCTS; from += 100)
    yield Array.from({ length: Math.min(100, PRODUCTS - from) }, (_, index) => productLine(from + index)).join('')
}

/** From the request of an own system to the arrival at the platform, for each of some orders (milliseconds). */
async function orderMeanwhile(hub: HubProcess, key: string, door: CountingDoor): Promise<number[]> {
  const latencies: number[] = []
  for (let number = 1; number <= ORDERS; number++) {
    await sleep(1_000)
    const began = now()
    const seen = door.passed.filter(({ path }) => path === ORDER).length
    await hub.submit('orders', key, `order-${number}`, 'application/json', JSON.stringify(pickupOrder(number)))
    let arrived = null
    while (arrived === null && now() - began < 30_000) {
      arrived = door.passed.filter(({ path }) => path === ORDER)[seen] ?? null
      if (arrived === null) await sleep(5)
    }
    latencies.push(arrived ? arrived.at - began : Number.POSITIVE_INFINITY)
  }
  return latencies
}

function pickupOrder(number: number): object {
  return {
    orderNo: `WEB-${number}`,
    storeNo: '101',
    reservationLengthInHours: 48,
    saleDateTime: '2026-11-20T10:00:00+01:00',
    customer: {
      email: 'kari@example.com',
      firstName: 'Kari',
      lastName: 'Nordmann',
      phone: '40000000',
      phoneCountryCode: '+47',
    },
    orderLines: [{ gtin: '7090012340011', price: '349.00', quantity: '1' }],
    paymentLines: [{ amount: '349.00', currency: 'NOK', type: 'Card' }],
  }
}

async function untilDone(hub: HubProcess, key: string, id: number): Promise<Submission> {
  const deadline = now() + PATIENCE_SECONDS * 1_000
  for (;;) {
    const submission = await hub.submission<Submission>(id, key)
    if (submission.done || now() > deadline) return submission
    await sleep(500)
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1)
}
