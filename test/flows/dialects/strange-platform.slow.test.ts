import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Strange } from '../../../sandbox/platform/strange.ts'
import type { Finding } from '../../../src/cli/doctor/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { DeliveryDetail } from '../../../src/storage/rows.ts'
import { tillbridge } from '../../cli/run.ts'
import { createTestClock } from '../../clock.ts'
import { apiAt } from '../../dialect.ts'
import { openDoor } from '../../door.ts'
import { eventually } from '../../eventually.ts'
import { order, sale } from '../../http/submissions/given.ts'
import { ADMIN_TOKEN, createFolder, deliveriesOf, type Given as HubGiven, startTestHub } from '../../hub.ts'
import { givenPlatform, KEYS } from '../../sandbox/platform/given.ts'

/* A platform of which no more is known than the spec shows, and which is otherwise where the spec is silent. */

const MINUTE = 60_000
const READ = 'GET /api/OmniChannel'

const SOLD = { salesLines: [{ identity: '7090012340011', price: '399.50', qty: 2 }] }

const delivery = {
  extRef: 'PO-100',
  storeNo: '102',
  insertAsConfirmed: true,
  orderLines: [{ gtin: '7090012340011', qty: 3 }],
}

type Given = {
  preset?: 'spec' | 'frontsystems-v2'
  strange?: Partial<Strange>
  endpoints?: NonNullable<NonNullable<HubGiven['config']>['platform']>['endpoints']
}

/** The platform behind a door, a hub that outlives its process, and an OMS with a key. */
async function openStrange({ preset = 'spec', strange = {}, endpoints = {} }: Given = {}) {
  await using opened = new AsyncDisposableStack()
  const clock = createTestClock()
  const sandbox = opened.use(await givenPlatform({ seedCatalogue: false, now: clock.now, strange }))
  const door = opened.use(await openDoor(sandbox.url))
  const folder = opened.use(await createFolder())
  const platform = { preset, baseUrl: apiAt(door.url), ...KEYS, endpoints, saleStores: { NO: '101' } }
  const start = () => startTestHub({ clock, random: () => 0.5, folder: folder.path, config: { platform } })
  const hubs = opened.adopt({ hub: await start() }, ({ hub }) => hub[Symbol.asyncDispose]())
  const portal = opened.use(createPlatform({ preset: 'frontsystems-v2', baseUrl: sandbox.portalUrl, ...KEYS }))
  await hubs.hub.admin('jobs/stores/run', {})
  await eventually(async () => expect(await hubs.hub.hub.storage.stores()).not.toEqual([]))
  const { body } = await hubs.hub.admin<{ key: string }>('keys', {
    system: 'oms',
    may: 'orders,sales,goods-deliveries',
  })
  const headers = { authorization: `Bearer ${body.key}`, 'content-type': 'application/json' }
  let submitted = 0
  const open = opened.move()

  async function ask(method: string, path: string, json: object | null): Promise<void> {
    submitted += 1
    const { status, text } = await hubs.hub.ask(`/v1/${path}`, {
      method: method as 'POST',
      headers: { ...headers, 'idempotency-key': `key-${submitted}` },
      body: json && JSON.stringify(json),
    })
    expect(status, text).toBe(202)
  }

  /** The newest delivery of a flow, in full, once it is in this state and has been tried so often. */
  async function inState(flow: string, state: string, attempts = 1): Promise<DeliveryDetail> {
    return await eventually(async () => {
      const found = (await deliveriesOf(hubs.hub)).find((one) => one.flow === flow)
      const { body } = await hubs.hub.admin<DeliveryDetail>(`deliveries/${found?.id}`)
      expect(body).toMatchObject({ state })
      expect(body.attempts.length).toBeGreaterThanOrEqual(attempts)
      return body
    })
  }

  return {
    clock,
    strange: sandbox.strange,
    sandbox,
    portal,
    hub: () => hubs.hub,
    submit: (path: string, json: object) => ask('POST', path, json),
    cancel: (orderNo: string) => ask('DELETE', `orders/${orderNo}`, null),
    inState,
    /** How often such a request came to the platform: `POST /api/Omnichannel`. */
    count: (line: string) => door.passed.filter((one) => one.line.replace(/\?.*/, '') === line).length,
    /** What `doctor` says of endpoints. */
    async doctor(): Promise<Finding[]> {
      const path = join(folder.path, 'tillbridge.yaml')
      const keys = `apiKey: "\${API_KEY}", subscriptionKey: "\${SUBSCRIPTION_KEY}"`
      await writeFile(
        path,
        `server: { adminToken: "\${ADMIN_TOKEN}" }
platform: { baseUrl: "${apiAt(door.url)}", ${keys}, webhooks: { tokens: ["\${ADMIN_TOKEN}"] } }
`,
      )
      const { out } = await tillbridge(['doctor', '--json'], {
        TILLBRIDGE_CONFIG: path,
        TILLBRIDGE_URL: hubs.hub.url,
        TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN,
        ADMIN_TOKEN,
        API_KEY: KEYS.apiKey,
        SUBSCRIPTION_KEY: KEYS.subscriptionKey,
      })
      const { findings }: { findings: Finding[] } = JSON.parse(out)
      return findings.filter(({ check }) => check === 'endpoints')
    },
    async restart() {
      await hubs.hub[Symbol.asyncDispose]()
      hubs.hub = await start()
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const notesOf = ({ attempts }: DeliveryDetail) => attempts.map(({ outcome, note }) => `${outcome}: ${note}`)

describe('a platform that answers what it creates without an id', () => {
  for (const creates of ['nothing', 'no content', 'a word'] as const)
    test(`When an order, a sale and a delivery are answered with ${creates}, then each is there once, and done`, async () => {
      await using the = await openStrange({ strange: { creates, lacks: [READ] } })
      await the.submit('orders', order('W-1'))
      await the.submit('sales', sale('E-1', SOLD))
      await the.submit('goods-deliveries', delivery)
      for (const flow of ['submit-order', 'import-sale', 'create-delivery']) {
        const done = await the.inState(flow, 'delivered')
        expect(notesOf(done)).toEqual(['delivered: answered without an id'])
        expect(await the.hub().hub.storage.links('platform', 'order', ['W-1'])).toEqual([])
      }
      the.clock.advance(60 * MINUTE)
      expect(the.sandbox.onlineOrders()).toHaveLength(1)
      expect(the.sandbox.importedOrders()).toHaveLength(1)
      expect((await the.portal.goodsDeliveries.list('13')).rows).toHaveLength(1)
      expect(the.count('POST /api/Omnichannel')).toBe(1)
    })

  test('When a page to sign in comes in place of an answer, then nobody knows, and a sale waits for a person', async () => {
    await using the = await openStrange({ strange: { creates: 'a page' } })
    await the.submit('sales', sale('E-1', SOLD))
    expect((await the.inState('import-sale', 'held')).why).toContain('answered HTML')
  })

  test('When the document shows an id, then an answer without one is no proof, and the order is looked for', async () => {
    await using the = await openStrange({ preset: 'frontsystems-v2', strange: { creates: 'nothing' } })
    await the.submit('orders', order('W-1'))
    await the.inState('submit-order', 'waiting')
    the.clock.advance(5 * MINUTE)
    expect(notesOf(await the.inState('submit-order', 'delivered'))).toEqual([
      expect.stringMatching(
        /^unknown: platform: orders\.create was answered without its orderId\. .* platform\.endpoints\.orders\.create /,
      ),
      expect.stringMatching(/^delivered: found there: order id \d+$/),
    ])
    expect(the.count('POST /api/OmniChannel')).toBe(1)
  })
})

describe('an order whose answer was lost', () => {
  test('When the platform has never told of any order, then it is never posted again, over restarts, and a person is told why', async () => {
    await using the = await openStrange({ strange: { creates: 'cut', lacks: [READ] } })
    await the.submit('orders', order('W-1'))
    await the.inState('submit-order', 'waiting')
    the.clock.advance(5 * MINUTE)
    await the.inState('submit-order', 'waiting', 2)
    await the.restart()
    for (let looks = 2; looks <= 10; looks++) {
      the.clock.advance(61 * MINUTE)
      await the.inState('submit-order', looks < 10 ? 'waiting' : 'held', looks + 1)
    }
    const held = await the.inState('submit-order', 'held')
    expect(held.why).toContain('never told of any order, so its word that there is no order W-1 proves nothing')
    expect(the.count('POST /api/Omnichannel')).toBe(1)

    // Its operator says how orders are read there.
    the.strange.lacks = []
    await the.hub().admin('deliveries/retry', { filter: { id: held.id } })
    expect(notesOf(await the.inState('submit-order', 'delivered')).at(-1)).toMatch(/^delivered: found there/)
    expect(the.sandbox.onlineOrders()).toHaveLength(1)
  })

  test('When the platform has told of an order before, also before a restart, then its 404 says that another is not there', async () => {
    await using the = await openStrange({ strange: { creates: 'cut' } })
    await the.submit('orders', order('W-1'))
    await the.inState('submit-order', 'waiting')
    the.clock.advance(5 * MINUTE)
    await the.inState('submit-order', 'delivered')
    await the.restart()

    await the.submit('orders', order('W-2'))
    await the.inState('submit-order', 'waiting')
    await the.portal.orders.delete('W-2')
    the.strange.creates = 'id'
    the.clock.advance(5 * MINUTE)
    await the.inState('submit-order', 'delivered')
    expect(the.sandbox.onlineOrders().map(({ body }) => body.orderNo)).toEqual(['W-1', 'W-2'])
    expect(the.count('POST /api/Omnichannel')).toBe(3)
  })
})

describe('a delivery whose answer was lost', () => {
  test('When nobody says that a request id counts, then it is not sent again, and waits for a person', async () => {
    await using the = await openStrange({ strange: { creates: 'cut', heedsRequestId: false } })
    await the.submit('goods-deliveries', delivery)
    await the.inState('create-delivery', 'waiting')
    the.clock.advance(5 * MINUTE)
    const held = await the.inState('create-delivery', 'held')
    expect(held.why).toContain('whether the platform has delivery PO-100 cannot be asked')
    expect((await the.portal.goodsDeliveries.list('13')).rows).toHaveLength(1)

    the.strange.creates = 'id'
    await the.hub().admin('deliveries/retry', { filter: { id: held.id }, again: true })
    await the.inState('create-delivery', 'delivered')
    expect((await the.portal.goodsDeliveries.list('13')).rows).toHaveLength(2)
  })

  test.each([
    ['the public documentation', { preset: 'frontsystems-v2' }],
    ['the operator', { endpoints: { 'goodsDeliveries.create': { requestId: 'heeded' } } }],
  ] as const)('When %s says that it counts, then it is sent again, and there is one', async (_, given) => {
    await using the = await openStrange({ ...given, strange: { creates: 'cut' } })
    await the.submit('goods-deliveries', delivery)
    await the.inState('create-delivery', 'waiting')
    the.strange.creates = 'id'
    the.clock.advance(5 * MINUTE)
    expect(notesOf(await the.inState('create-delivery', 'delivered'))).toHaveLength(2)
    expect((await the.portal.goodsDeliveries.list('13')).rows).toHaveLength(1)
  })
})

test('When the platform cannot tell of an order, then its cancellation is sent, and is done when it says so', async () => {
  await using the = await openStrange({ strange: { lacks: [READ] } })
  await the.submit('orders', order('W-1'))
  await the.inState('submit-order', 'delivered')
  await the.cancel('W-1')
  expect(notesOf(await the.inState('cancel-order', 'delivered'))).toEqual(['delivered: cancelled'])
  expect(the.sandbox.onlineOrders()).toEqual([])
})

test('When endpoints that no document shows do not work, then the doctor names each, and says what it means and what to do', async () => {
  await using the = await openStrange({ strange: { lacks: [READ, 'DELETE /api/OmniChannel'] } })
  await the.submit('orders', order('W-1'))
  await the.inState('submit-order', 'delivered')
  await the.cancel('W-1')
  expect((await the.inState('cancel-order', 'dead')).why).toContain('order W-1 may still be at the store')

  const before = await the.doctor()
  expect(before.filter(({ says }) => /^orders\./.test(says))).toEqual([
    {
      check: 'endpoints',
      state: 'note',
      says: expect.stringMatching(
        /^orders\.read \(GET http.*\/api\/Omnichannel\) is a guess, was first used 20.*, and has never worked: it answered 404.*waits for an operator, and is not sent twice\.$/,
      ),
      todo: expect.stringContaining('set platform.endpoints.orders.read'),
    },
    {
      check: 'endpoints',
      state: 'note',
      says: expect.stringMatching(/^orders\.delete .*never worked/),
      todo: expect.any(String),
    },
  ])

  // It was the platform's own fault, and is put right; the hub remembers over its restart.
  the.strange.lacks = []
  await the.restart()
  const [dead] = await deliveriesOf(the.hub())
  await the.hub().admin('deliveries/retry', { filter: { id: dead?.id } })
  await the.inState('cancel-order', 'delivered')
  const after = await the.doctor()
  expect(after.filter(({ says }) => /^orders\./.test(says))).toEqual([])
})
