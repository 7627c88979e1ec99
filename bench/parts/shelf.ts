import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHub } from '../hub-process.ts'
import { always, atMost, judge, none, type Part } from '../part.ts'
import { WARM_UP_SECONDS } from '../rounds.ts'
import { now } from '../wire/clock.ts'
import { summarize } from '../wire/latencies.ts'

/** Goods move at POS: so many times a second. */
const RATE = 50
const ARTICLES = 400
const STOCK = '12'

export const shelf: Part = {
  name: 'shelf',
  about: `${RATE} stock movements a second at POS: until the shop has the level that each of them left`,
  hasPace: true,
  async run(bench) {
    const seconds = bench.seconds ?? 60
    await using shop = await openShop()
    await using hub = await startHub(bench, {
      destinations: {},
      others: {
        shop: {
          adapter: 'rest',
          url: `http://127.0.0.1:${shop.port}`,
          channels: { web: { stocks: [STOCK] } },
          stock: {
            setLevels: { method: 'PUT', path: '/levels', body: '[levels.{"gtin": gtin, "level": level}]', atOnce: 100 },
          },
        },
      },
    })
    const count = Math.round((WARM_UP_SECONDS + seconds) * RATE)
    const measured = WARM_UP_SECONDS * RATE
    const dueAt: number[] = []
    let failed = 0
    const begin = now() + 100
    const sent: Promise<void>[] = []
    for (let movement = 0; movement < count; movement++) {
      const due = begin + (movement * 1_000) / RATE
      dueAt.push(due)
      if (due > now()) await sleep(due - now())
      const posted = hub.post('StockMovementCreated', movementOf(movement)).then((accepted) => {
        if (!accepted) failed += 1
      })
      sent.push(posted)
    }
    await Promise.all(sent)
    await sleep(3_000)
    const latencies = dueAt.slice(measured).map((due, index) => shop.hadAt(measured + index) - due)
    const figures = { perSecond: RATE, ...summarize(latencies), cpuSeconds: hub.cpuSeconds() }
    const limits = [
      always(atMost('p99 ms', figures.p99Ms, 2_000)),
      none('movements not accepted', failed),
      none('levels that never came', latencies.filter((one) => !Number.isFinite(one)).length),
    ]
    return judge(bench, shelf.name, figures, limits, [
      `${count} movements of ${ARTICLES} articles became ${shop.calls()} calls of the shop`,
    ])
  },
}

/** An article's level is the number of its last movement, so that each movement can be found again. */
function movementOf(movement: number): object {
  return {
    companyId: 7,
    movementId: 1_000_000 + movement,
    stockId: Number(STOCK),
    stockExtId: '101',
    sku: `SKU-${movement % ARTICLES}`,
    gtin: gtinOf(movement),
    type: 'Sale',
    quantity: -1,
    stockLevel: movement + 1,
    createdDateTime: new Date().toISOString().slice(0, 23),
  }
}

function gtinOf(movement: number): string {
  return String(7_090_000_000_000 + (movement % ARTICLES))
}

/** A shop that takes levels, and remembers when it had which. */
async function openShop() {
  const had = new Map<string, { level: number; at: number }[]>()
  let calls = 0
  const server = createServer(async (request, response) => {
    const levels = JSON.parse(await textOf(request)) as { gtin: string; level: string }[]
    calls += 1
    for (const { gtin, level } of levels) {
      const history = had.get(gtin) ?? []
      history.push({ level: Number(level), at: now() })
      had.set(gtin, history)
    }
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    calls: () => calls,
    /** When the shop had what this movement left, or something later. */
    hadAt(movement: number): number {
      const first = had.get(gtinOf(movement))?.find(({ level }) => level >= movement + 1)
      return first?.at ?? Number.POSITIVE_INFINITY
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
