import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import type { RehearsalResult } from '../../src/cli/rehearse/run.ts'
import { eventually } from '../eventually.ts'
import { orderUpdate, sale, stockMovement } from '../fixtures/payloads.ts'
import { startWritten, type WrittenConfig, writtenConfig } from '../hub/written.ts'
import { WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { migratedSchema, NO_SERVER, rowsOf, SERVER, temporarySchema } from '../store/postgres-schema.ts'
import { tillbridge } from './run.ts'

/* A recorded day, played to a second hub: which promises held, and that nobody outside heard of it. */

const TODAY = new Date().toLocaleDateString('sv-SE')

async function post(url: string, kind: string, body: unknown): Promise<void> {
  const answer = await request(`${url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-event-id': randomUUID() },
    body: JSON.stringify(body),
  })
  await answer.body.dump()
  expect(answer.statusCode).toBe(202)
}

/** A server that counts who comes to it, and answers nobody. */
async function startListener() {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** A hub that has had a day: sales, movements, and an order that changed several times. */
async function openDay(store?: string) {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const platform = opened.use(await startListener())
  const config = opened.use(await writtenConfig())
  await mkdir(join(config.folder, 'erp'))
  const bus = `bus:\n  adapter: http\n  url: ${sink.url}\n  publish: all`
  const erp = `erp:\n  adapter: files\n  folder: ${join(config.folder, 'erp')}\n  write: { sale: { name: '{key}', format: json } }\n  lane: { timeout: 1s }`
  const webhooks = `tokens: ["\${WEBHOOK_TOKEN}"]\neventIdHeader: x-event-id`
  const kept = store === undefined ? {} : { store: `url: ${store}` }
  await config.write({ ...kept, webhooks, destinations: `${bus}\n${erp}` })
  const hub = opened.use(await startWritten(config.env))
  const statuses = ['UnHandled', 'Picked', 'Shipped']
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
    await post(hub.url, 'SaleCreated', sale({ receiptNo: String(1000 + n) }))
    await post(hub.url, 'StockMovementCreated', stockMovement({ movementId: n }))
    for (const status of statuses)
      await post(
        hub.url,
        'OmniChannelOrderUpdated',
        orderUpdate({ orderNo: `A${n}`, id: `0d8f8a5e-2f0c-4a4e-9a53-00000000000${n}`, status }),
      )
  }
  await eventually(() => sink.received.length === 40)
  await hub[Symbol.asyncDispose]()
  // From now on, the config has a platform that can be asked.
  const asked = `baseUrl: ${platform.url}\napiKey: \${API_KEY}\nsubscriptionKey: \${SUBSCRIPTION_KEY}\ntrustWebhooks: true`
  await config.write({ ...kept, platform: asked, webhooks, destinations: `${bus}\n${erp}` })
  const open = opened.move()
  return { sink, platform, config, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

async function rehearse({ env, folder }: WrittenConfig, ...args: string[]) {
  const day = args.includes('--made') ? [] : ['--day', TODAY]
  const ran = await tillbridge(['rehearse', ...day, '--in', folder, '--within', '1m', '--json', ...args], env)
  const result = JSON.parse(ran.out) as RehearsalResult
  return { ...ran, result, said: (promise: string) => result.promises.find((one) => one.promise.includes(promise)) }
}

test('When a recorded day is rehearsed, then every promise holds, the store is as it was, and nobody outside hears of it', async () => {
  await using day = await openDay()
  const { config, sink, platform } = day
  const file = join(config.folder, 'hub.db')
  const before = await readFile(file)
  const files = await readdir(join(config.folder, 'erp'))

  const { code, result, said } = await rehearse(config, '--speed', '5', '--latency', '5ms')

  expect(code).toBe(0)
  expect(result).toMatchObject({ webhooks: 40, notPlayed: { others: 0, gone: 0 }, speed: 5 })
  expect(said('on disk')).toMatchObject({ kept: true })
  expect(sink.received).toHaveLength(40)
  expect(platform.connections()).toBe(0)
  expect(await readdir(join(config.folder, 'erp'))).toEqual(files)
  expect((await readFile(file)).equals(before)).toBe(true)
  expect((await readdir(config.folder)).filter((name) => name.startsWith('tillbridge-rehearsal'))).toEqual([])
})

test('When the hub is killed in the middle, and webhooks come twice and in disorder, then promises hold all the same', async () => {
  await using day = await openDay()
  const faults = ['kill', 'double', 'reorder'].flatMap((fault) => ['--fault', fault])

  const { code, result, said } = await rehearse(day.config, '--speed', '0.5', '--latency', '20ms', ...faults)

  expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
  expect(code).toBe(0)
  // The kill was felt: what came meanwhile was refused, and sent again.
  expect(said('on disk')?.says).toMatch(/40 webhooks sent \([1-9]\d* times refused for the moment, and sent again\)/)
  expect(said('once')?.says).toMatch(/4\d copies sent; 0 taken as another event$/)
})

test('When one destination is away and another slow, then each is behind by that, and what it was owed is delivered', async () => {
  await using day = await openDay()
  const faults = ['--fault', 'down:bus', '--fault', 'slow:erp', '--latency', 'erp:30ms', '--latency', 'bus:10ms']

  const { code, result } = await rehearse(day.config, '--speed', '0.5', ...faults)

  expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
  expect(code).toBe(0)
  const [bus, erp] = result.headroom
  expect(erp).toMatchObject({ destination: 'erp', effects: 8, ms: 30, longest: 300 })
  // Whoever is away is tried again after five seconds.
  expect(bus).toMatchObject({ destination: 'bus', effects: 40, longest: 10 })
  expect(bus?.behind).toBeGreaterThan(3_000)
})

test('When a promise is broken, then it is named for people, and the end is 1', async () => {
  await using day = await openDay()

  const { code, out } = await tillbridge(
    ['rehearse', '--day', TODAY, '--in', day.config.folder, '--within', '1ms', '--speed', '100'],
    day.config.env,
  )

  expect(code).toBe(1)
  expect(out).toContain(`${TODAY}, as it was recorded: 40 webhooks at 100 times the speed`)
  expect(out).toMatch(/^BROKEN {2}webhooks are answered in 1 ms \(p99\): half in \d+ ms/m)
  expect(out).toMatch(/^kept {4}taken means on disk: 40 webhooks sent; 0 never taken, 0 taken and not in the store$/m)
  expect(out).toMatch(/^The first to be short is (bus|erp): it would carry \d+(\.\d)? times this day\.$/m)
  expect(out).toContain(
    '1 of 6 promises were broken. Destinations were shadows, and nobody was asked or told anything.',
  )
})

test('When the store has no such day, then a made one is played, in the shape of what was recorded', async () => {
  await using day = await openDay()

  const { code, result } = await rehearse(day.config, '--made', 'stores=3,sales=40', '--speed', '10000')

  expect(code).toBe(0)
  expect(result).toMatchObject({ webhooks: 102 })
  expect(result).toMatchObject({
    what: 'A made day of 40 sales in 3 stores, in the shape of what was recorded (SaleCreated, StockMovementCreated, OmniChannelOrderUpdated)',
  })
  expect(result.headroom).toMatchObject([
    { destination: 'bus', effects: 102 },
    { destination: 'erp', effects: 40 },
  ])
})

test('When a hub has never run, then a day can be made for it all the same', async () => {
  await using config = await writtenConfig()

  const { code, result } = await rehearse(config, '--made', 'stores=2,sales=10', '--speed', '10000')

  expect(code).toBe(0)
  expect(result).toMatchObject({ webhooks: 26, headroom: [] })
  expect(result).toMatchObject({ what: 'A made day of 10 sales in 2 stores, in the shape of built-in examples' })
  expect(await readdir(config.folder)).toEqual(['tillbridge.yaml'])
})

test.each([
  [[], 'Name either a recorded day'],
  [['--day', '2026-11-20', '--made', 'stores=1,sales=1'], 'Name either a recorded day'],
  [['--day', '2001-01-01'], 'The store has no webhooks of 2001-01-01'],
  [['--day', 'monday'], 'It is a day, such as 2026-11-27.'],
  [['--made', 'stores=1'], 'It is such as stores=20,sales=5000'],
  [['--day', TODAY, '--fault', 'flood'], '--fault flood: it is one of kill'],
  [['--day', TODAY, '--latency', 'shop:1s'], '--latency shop:1s: config has no destination shop; it has none.'],
  [['--day', TODAY, '--in', '/no/such/folder'], '--in: nothing can be made there'],
  [['--day', TODAY, '--speed', '0'], 'It is a number above 0'],
])('When %j is typed, then it says what would be right', async (args, says) => {
  await using config = await writtenConfig()
  await using hub = await startWritten(config.env)
  await post(hub.url, 'SaleCreated', sale())

  const { code, err } = await tillbridge(['rehearse', ...args], config.env)

  expect(err).toContain(says)
  expect(code).toBe(2)
})

describe.skipIf(SERVER === undefined)(`on PostgreSQL${SERVER === undefined ? `: ${NO_SERVER}` : ''}`, () => {
  test('When hubs work on a schema, then a day of it is rehearsed on another schema, and no row of the first is changed', async () => {
    await using live = await migratedSchema()
    await using other = await temporarySchema()
    await using day = await openDay(live.url)
    const before = await rowsOf(live.name)

    const { code, result } = await rehearse(day.config, '--speed', '100', '--store', other.url, '--fault', 'double')

    expect(result.promises.filter(({ kept }) => !kept)).toEqual([])
    expect(code).toBe(0)
    expect(result.webhooks).toBe(40)
    expect(await rowsOf(live.name)).toBe(before)
    expect(day.sink.received).toHaveLength(40)

    const again = await tillbridge(['rehearse', '--day', TODAY, '--store', other.url], day.config.env)
    expect(again.err).toContain('--store: it is there already.')
    const own = await tillbridge(['rehearse', '--day', TODAY, '--store', live.url], day.config.env)
    expect(own.err).toContain('--store: that is the store of the hub itself.')
  })
})
