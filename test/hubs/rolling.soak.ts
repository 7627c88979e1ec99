import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { busTo, createFolder, WEBHOOK_TOKEN } from '../hub.ts'
import { type HubProcess, startHubProcess } from '../kill/hub-process.ts'
import { tell } from '../kill/tell.ts'
import { startSink } from '../sink.ts'
import { NO_SERVER, SERVER, temporarySchema } from '../storage/postgres/schema.ts'

const RATE = 200

test.skipIf(SERVER === undefined)(
  `When two hubs are restarted one after the other under 200 events/s, then each webhook is taken, or its connection refused (${SERVER ? 'PostgreSQL' : NO_SERVER})`,
  async () => {
    await using folder = await createFolder()
    await using schema = await temporarySchema()
    await using sink = await startSink()
    const start = (name: string, port?: number) =>
      startHubProcess({
        folder: folder.path,
        name,
        store: schema.url,
        destinations: { bus: busTo(sink.url) },
        ...(port && { port }),
      })
    await using hubs = new AsyncDisposableStack()
    const pair: HubProcess[] = await Promise.all([start('one'), start('two')])
    for (const hub of pair) hubs.use(hub)
    await using load = startLoad(pair.map(({ url }) => url))
    await eventually(() => load.taken.size > RATE)

    for (const [index, name] of ['one', 'two'].entries()) {
      const before = pair[index]
      if (!before) throw new Error('There are two.')
      expect(await before.stop('SIGTERM')).toBe(0)
      const from = load.taken.size
      await eventually(() => load.taken.size > from + RATE / 2)
      pair[index] = hubs.use(await start(name, Number(new URL(before.url).port)))
      const back = load.taken.size
      await eventually(() => load.taken.size > back + RATE)
    }
    await load[Symbol.asyncDispose]()
    await pair[0]?.untilIdle()

    const delivered = new Set(sink.received.map(({ body }) => JSON.parse(body).movementId as number))
    tell({ taken: load.taken.size, refusedConnections: load.refused(), perSecond: load.perSecond() })
    expect(load.others).toEqual([])
    expect([...load.taken].filter((n) => !delivered.has(n))).toEqual([])
    expect(load.perSecond()).toBeGreaterThan(RATE * 0.9)
  },
)

/** Sends at a rate, as a balancer would: in turn, to the other one where a connection is refused. */
function startLoad(urls: readonly string[]) {
  const agent = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 60_000 })
  const taken = new Set<number>()
  const others: string[] = []
  const began = performance.now()
  let lasted = 0
  let refused = 0
  let running = true
  let next = 0

  async function send(n: number, turn: number): Promise<void> {
    const url = urls[turn % urls.length]
    try {
      const answer = await request(`${url}/webhooks/StockMovementCreated?token=${WEBHOOK_TOKEN}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-event-id': String(n) },
        // Of many articles: in order are only those of one.
        body: JSON.stringify(stockMovement({ movementId: n, gtin: String(7_090_012_340_000 + (n % 50)) })),
      })
      const text = await answer.body.text()
      if (answer.statusCode === 202) taken.add(n)
      else others.push(`${answer.statusCode} ${text}`)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null
      if (code !== 'ECONNREFUSED') others.push(String(error))
      else {
        refused += 1
        await send(n, turn + 1)
      }
    }
  }

  async function sendAll(): Promise<void> {
    const underWay = new Set<Promise<void>>()
    while (running) {
      // As many as the time that has passed asks for, so that a late timer does not slow it down.
      while (next < ((performance.now() - began) / 1_000) * RATE) {
        next += 1
        const one: Promise<void> = send(next, next).finally(() => underWay.delete(one))
        underWay.add(one)
      }
      await pause(5)
    }
    await Promise.all(underWay)
  }

  const sending = sendAll()
  return {
    taken,
    others,
    refused: () => refused,
    perSecond: () => Math.round(taken.size / lasted),
    async [Symbol.asyncDispose]() {
      running = false
      await sending
      lasted = (performance.now() - began) / 1_000
      await agent.destroy()
    },
  }
}
