import { describe, expect, test } from 'vitest'
import type { MirrorRow } from '../../src/domain/catalogue/mirror.ts'
import { OWN_VERSION } from '../../src/lib/own-version.ts'
import type { DeliveryDetail, DeliveryRow, EventRow } from '../../src/storage/rows.ts'
import { asking } from '../cli/run.ts'
import { createTestClock } from '../clock.ts'
import { eventually } from '../eventually.ts'
import { sale, stockMovement } from '../fixtures/payloads.ts'
import { row, shareDesk } from '../http/read-models/given.ts'
import { ADMIN_TOKEN, allDelivered, busTo, shareHub, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../hub.ts'
import { startSink } from '../sink.ts'
import { createArrivals } from '../storage/arrivals.ts'

describe('the token', () => {
  test('when it is wrong, missing, or elsewhere than in the header, then nothing is shown or done', async () => {
    await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:9') } })
    const attempts = [
      { path: '/admin/status' },
      { path: `/admin/status?token=${ADMIN_TOKEN}` },
      { path: '/admin/status', authorization: `Bearer ${ADMIN_TOKEN}x` },
      { path: '/admin/status', authorization: `Bearer ${WEBHOOK_TOKEN}` },
      { path: '/admin/status', authorization: ADMIN_TOKEN },
      { path: '/admin/status', authorization: `Basic ${btoa(`admin:${ADMIN_TOKEN}`)}` },
      { path: '/admin/nowhere' },
      { path: '/admin/destinations/bus/pause', method: 'POST' as const },
    ]
    for (const { path, method, authorization } of attempts) {
      const answer = await hub.ask(path, { method: method ?? 'GET', headers: authorization ? { authorization } : {} })
      expect(answer).toMatchObject({ status: 401, body: { code: 'wrong-token' } })
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
      expect(answer.text).not.toContain(ADMIN_TOKEN)
    }
    expect(JSON.stringify(hub.lines)).not.toContain(ADMIN_TOKEN)
    expect(await hub.ask('/admin/status', { headers: { authorization: `bearer ${ADMIN_TOKEN}` } })).toMatchObject({
      status: 200,
    })
    expect((await hub.admin('status')).body).toMatchObject({ destinations: [{ paused: null }] })
  })

  test('when somebody guesses on, then the answer becomes 429, and the right token is still good', async () => {
    await using hub = await startTestHub()
    const guesses = await Promise.all(
      Array.from({ length: 40 }, () => hub.ask('/admin/status', { headers: { authorization: 'Bearer guess' } })),
    )
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([401, 429]))
    expect((await hub.admin('status')).status).toBe(200)
  })
})

describe('status', () => {
  test('when nothing has happened, then it names each destination with nothing to do', async () => {
    await using hub = await startTestHub({
      destinations: { shop: busTo('http://127.0.0.1:9'), bus: busTo('http://127.0.0.1:9') },
    })
    const counts = { waiting: 0, retrying: 0, held: 0, dead: 0, oldest: null, oldestWaiting: null, oldestHeld: null }
    const idle = { urgency: 'prompt', ...counts, inFlight: 0 }
    const fine = { outage: null, failing: null, tookAt: null, callsPerSecond: null, paused: null, configured: true }
    expect((await hub.admin('status')).body).toEqual({
      version: OWN_VERSION,
      destinations: [
        { name: 'bus', ...idle, ...fine },
        { name: 'shop', ...idle, ...fine },
      ],
      events: { unrouted: 0, quarantined: 0, conflicts: 0, reusedKeys: { count: 0, last: null } },
      requests: { connections: 1, inFlightBytes: 0, refused: {}, refusedAt: {} },
      rejected: [],
    })
  })

  test('when things are wrong, then it counts each in its place, with the oldest age', async () => {
    await using refusing = await startSink()
    await using hanging = await startSink()
    refusing.play({ status: 400 })
    hanging.play('hang')
    const clock = createTestClock()
    const destinations = {
      refusing: busTo(refusing.url, { publish: ['SaleCreated'] }),
      hanging: busTo(hanging.url, { publish: ['StockMovementCreated'], queue: { concurrency: 2 } }),
      down: busTo('http://127.0.0.1:1/', { publish: ['StockCountReconciled'] }),
    }
    await using hub = await startTestHub({ clock, destinations })
    await hub.post('SaleCreated', sale())
    await hub.post('SaleCreated', sale({ total: 1 }))
    await hub.post('SaleCreated', 'broken')
    await hub.post('CustomerUpdated', { customerId: 1 })
    await hub.post('StockCountReconciled', { a: 1 })
    const since = clock.now()
    for (const n of [1, 2, 3]) await hub.post('StockMovementCreated', stockMovement({ movementId: n, gtin: String(n) }))

    const status = await eventually(async () => {
      const { body } = await hub.admin<{ destinations: Record<string, unknown>[] }>('status')
      expect(body).toMatchObject({
        destinations: [
          { name: 'down', waiting: 1, inFlight: 0, outage: { failures: 1, why: expect.any(String) } },
          { name: 'hanging', waiting: 3, inFlight: 2, dead: 0, outage: null },
          { name: 'refusing', waiting: 0, dead: 1, held: 0, oldest: null },
        ],
        events: { unrouted: 1, quarantined: 1, conflicts: 1 },
      })
      return body
    })

    expect(status.destinations[1]?.oldest).toBeGreaterThanOrEqual(since - 1_000)
    expect(status.destinations[1]?.oldest).toBeLessThanOrEqual(clock.now())
  })
})

describe('lists', () => {
  test('when there are more than a page holds, then before goes on where the last one ended', async () => {
    await using hub = await startTestHub({ destinations: { bus: busTo('http://127.0.0.1:9') } })
    await hub.admin('destinations/bus/pause', {})
    for (let n = 1; n <= 5; n++) await hub.post('StockMovementCreated', stockMovement({ movementId: n }))
    for (const list of ['events', 'deliveries'] as const) {
      expect(await idsOf(hub, list, '?limit=2')).toEqual([5, 4])
      expect(await idsOf(hub, list, '?limit=2&before=4')).toEqual([3, 2])
      expect(await idsOf(hub, list, '?limit=2&before=2')).toEqual([1])
      expect(await idsOf(hub, list, '?before=1')).toEqual([])
    }
  })

  test('when filters are given, then all of them must hold', async () => {
    await using sink = await startSink()
    sink.play(({ kind }) => ({ status: kind === 'SaleCreated' ? 200 : 400 }))
    await using hub = await startTestHub({
      destinations: { bus: busTo(sink.url, { publish: ['SaleCreated', 'StockMovementCreated'] }) },
    })
    await hub.post('SaleCreated', sale())
    await hub.post('SaleCreated', sale({ total: 1 }))
    await hub.post('SaleCreated', 'broken')
    await hub.post('StockMovementCreated', stockMovement())
    await hub.post('CustomerUpdated', { customerId: 1 })
    await eventually(async () => expect(await idsOf(hub, 'deliveries', '?state=dead')).toEqual([2]))

    const now = new Date().toISOString()
    const events = {
      '?kind=SaleCreated': [3, 2, 1],
      '?kind=SaleCreated&state=routed': [1],
      '?state=unrouted': [5],
      '?state=unrouted&conflict=true': [2],
      '?state=quarantined': [3],
      '?conflict=true': [2],
      '?entity=customer:4711': [],
      '?entity=customer:1': [5],
      '?id=4': [4],
      '?since=1h': [5, 4, 3, 2, 1],
      '?until=1h': [],
      [`?since=${now}`]: [],
      [`?until=${now}&kind=CustomerUpdated`]: [5],
    }
    for (const [query, ids] of Object.entries(events))
      expect([query, await idsOf(hub, 'events', query)]).toEqual([query, ids])
    const deliveries = {
      '?state=delivered': [1],
      '?state=dead&kind=StockMovementCreated': [2],
      '?state=dead&kind=SaleCreated': [],
      '?destination=bus&flow=publish': [2, 1],
      '?destination=other': [],
      '?event=4': [2],
      '?entity=stock:12:7090012340011': [2],
      '?since=2d&until=1h': [],
    }
    for (const [query, ids] of Object.entries(deliveries))
      expect([query, await idsOf(hub, 'deliveries', query)]).toEqual([query, ids])
  })
})

describe('one of them', () => {
  test('when an event is shown, then it is there with its headers, its body and what it owes', async () => {
    await using sink = await startSink()
    await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })
    await hub.post('SaleCreated', sale(), { subscription: '101', eventId: 'E-1', headers: { 'x-request-id': 'R-1' } })
    await allDelivered(hub, 1)
    const { body } = await hub.admin<object>('events/1')
    expect(body).toMatchObject({
      id: 1,
      kind: 'SaleCreated',
      origin: 'platform',
      subscription: '101',
      state: 'routed',
      conflictWith: null,
      transportKey: 'E-1',
      identity: '101/3/1001/2026-11-20',
      entity: 'sale:101/3/1001/2026-11-20',
      problem: null,
      size: JSON.stringify(sale()).length,
      headers: { 'x-request-id': 'R-1' },
      body: JSON.stringify(sale()),
      deliveries: [{ id: 1, flow: 'publish', destination: 'bus', state: 'delivered' }],
    })
  })

  test('when a delivery is shown, then its attempts are there, with what was answered', async () => {
    await using sink = await startSink()
    sink.play((_, nth) => (nth === 0 ? { status: 500, body: 'out of paper' } : { status: 204 }))
    const clock = createTestClock()
    await using hub = await startTestHub({ clock, destinations: { bus: busTo(sink.url) } })
    await hub.post('SaleCreated', sale())
    await eventually(async () => expect((await shown(hub, 1)).attempts).toHaveLength(1))
    expect(await shown(hub, 1)).toMatchObject({ state: 'waiting', tries: 1, why: expect.stringContaining('500') })
    clock.advance(10_000)
    await allDelivered(hub, 1)
    expect(await shown(hub, 1)).toMatchObject({
      state: 'delivered',
      event: 1,
      kind: 'SaleCreated',
      attempts: [
        { outcome: 'retry', code: expect.any(String), note: expect.stringContaining('500') },
        { outcome: 'delivered', code: 'delivered', note: '204 No Content' },
      ],
      audit: [],
    })
  })
})

async function idsOf(hub: TestHub, list: 'events' | 'deliveries', query: string): Promise<number[]> {
  const { status, body, text } = await hub.admin<Record<string, (EventRow | DeliveryRow)[]>>(`${list}${query}`)
  expect(status, text).toBe(200)
  return (body[list] ?? []).map(({ id }) => id)
}

async function shown(hub: TestHub, id: number): Promise<DeliveryDetail> {
  return (await hub.admin<DeliveryDetail>(`deliveries/${id}`)).body
}

test('When the hub has told itself of many levels, then lists of events leave them out and say so; a name that nobody knows is named', async () => {
  await using hub = await startTestHub()
  await hub.post('SaleCreated', sale())
  const { arrival } = createArrivals({ now: Date.now })
  const level = () => arrival({ kind: 'StockLevelRead', origin: 'platform', deliveries: [] })
  await hub.hub.storage.accept(Array.from({ length: 600 }, level))
  const run = asking(hub)

  const listed = await run('events', 'list')
  expect(listed.out).toMatch(/SaleCreated/)
  expect(listed.out).not.toMatch(/ StockLevelRead /)
  expect(listed.out).toMatch(
    /^600 of the hub's own \(StockChanged, StockLevelRead\) are left out: --all shows them\.$/m,
  )
  expect((await run('events', 'list', '--all', '--limit', '3')).out).not.toMatch(/SaleCreated|left out/)
  expect(
    (await run('events', 'list', '--kind', 'StockLevelRead', '--limit', '2')).out.match(/StockLevelRead/g),
  ).toHaveLength(2)

  expect((await run('events', 'list', '--kind', 'SaleCreatd')).out).toBe(
    'The hub knows no kind "SaleCreatd". Did you mean "SaleCreated"?\n',
  )
  expect((await run('deliveries', 'list', '--flow', 'email-reciept')).out).toMatch(/Did you mean "email-receipt"\?/)
  for (const verb of ['show', 'retry']) {
    const wrong = await run('deliveries', verb, 'abc')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/abc.*It is a whole number, such as 77/)])
  }
})

const hub = shareHub()

for (const since of [
  '2',
  '0',
  '-2',
  '1.2',
  '5/6',
  '2026',
  '2026-11',
  '2026-11-31',
  '2026-11-20T25:00Z',
  '2 h',
  'yesterday',
] as const)
  test(`times of a filter: When since is ${since}, then nobody takes it for a time: neither the command line nor the hub acts`, async () => {
    await hub().post('SaleCreated', sale())
    const typed = await asking(hub())('events', 'dismiss', `--since=${since}`, '--reason', 'a test')
    expect([typed.code, typed.err]).toEqual([2, expect.stringMatching(/an instant, such as 2026-11-20T08:00Z/)])
    const posted = await hub().admin('events/dismiss', { filter: { since }, reason: 'a test' })
    expect(posted.body).toMatchObject({ status: 400, detail: expect.stringMatching(/^filter\.since: /) })
    const listed = await hub().admin(`audit?since=${encodeURIComponent(since)}`)
    expect(listed.body).toMatchObject({ status: 400, detail: expect.stringMatching(/^since: /) })
    const { body } = await hub().admin<{ events: object[] }>('events?dismissed=true')
    expect(body.events).toEqual([])
  })

const DAY = '2026-11-20'
const DAYS = ['--from', DAY, '--to', DAY]

describe('a store that a question is about', () => {
  const desk = shareDesk()

  test.each([
    [
      ['complete', '--store', '999'],
      'store: no store "999" is known, by its number or the platform\'s id: expected one of ',
    ],
    [['complete', '--store', 'wep'], 'did you mean "web"?'],
    [['settlements', 'missing', ...DAYS, '--store', '999'], 'store: no store "999" is known'],
    [
      ['gaps', 'list', '--store-id', '999'],
      'storeId: no store is known that has the id "999" at the platform: expected one of ',
    ],
    [['gaps', 'list', '--store-id', '201'], 'the store with that number has the id 43'],
    [['gaps', 'explain', '--store-id', '999', '--reason', 'x'], 'storeId: no store is known that has the id "999"'],
  ])(
    'When %j names none that is known, then that is refused, and nobody reads that all is well',
    async (args, words) => {
      const ran = await asking(desk().hub)(...args)
      expect(ran).toMatchObject({ code: 2, out: '', err: expect.stringContaining(words) })
    },
  )

  test('When it is named by its number or by its id, then it is the same store', async () => {
    const run = asking(desk().hub)
    const now = Date.now()
    const mark = { level: 'log', kind: 'SaleCreated', from: 0, until: now, since: now } as const
    await desk().hub.hub.storage.saveReconciliation(
      { watermarks: ['42', '43'].map((storeId) => ({ type: 'put', watermark: { ...mark, storeId } })) },
      now,
    )
    const storesOf = async (named: string) => {
      const { watermarks } = JSON.parse((await run('complete', '--store', named, '--json')).out)
      return watermarks.map((one: { storeId: string }) => one.storeId)
    }
    expect(await storesOf('201')).toEqual(['43'])
    expect(await storesOf('43')).toEqual(['43'])
    // The web shop's id is the number of another store: the number goes first.
    expect(await storesOf('101')).toEqual(['42'])
    // The platform has it no more; what it sold may be asked for.
    expect(await storesOf('7')).toEqual([])
  })

  test('When sales of a store are kept under its number, then its id finds them, too', async () => {
    const sold: MirrorRow = row('sales', 's-1', { place: '201', day: DAY, body: { storeNo: '201', posId: '1' } })
    await desk().save(sold)
    for (const named of ['201', '43'])
      expect(await asking(desk().hub)('settlements', 'missing', ...DAYS, '--store', named)).toMatchObject({
        code: 1,
        out: expect.stringContaining('1 sale and 0 settlements were looked at.'),
      })
  })
})
