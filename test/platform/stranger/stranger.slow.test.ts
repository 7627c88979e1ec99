import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { freePort } from '../../../sandbox/demo/free-port.ts'
import { diagnose } from '../../../src/cli/doctor/diagnose.ts'
import type { Finding } from '../../../src/cli/doctor/platform.ts'
import { Payloads } from '../../../src/config/sections.ts'
import type { HealthItem, JobStatus } from '../../../src/domain/health/health.ts'
import { SUBMIT_SCOPES } from '../../../src/domain/scope.ts'
import type { DeliveryRow } from '../../../src/storage/rows.ts'
import { tillbridge } from '../../cli/run.ts'
import { createTestClock, type TestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { ADMIN_TOKEN, type Given, startTestHub, type TestHub, WEBHOOK_TOKEN } from '../../hub.ts'
import { listen } from '../../listen.ts'
import { type Sink, startSink } from '../../sink.ts'
import { EXAMPLES } from './kinds.ts'
import { type Stranger, startStranger } from './stranger.ts'

function pageYaml(): string {
  const page = readFileSync(new URL('../../../docs/own-way.md', import.meta.url), 'utf8')
  return /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
}

function valuesOf({ url, keys }: Stranger, token: string): Record<string, string> {
  return {
    ...{ PLATFORM_URL: url, PLATFORM_API_KEY: keys.apiKey, PLATFORM_SUBSCRIPTION_KEY: keys.subscriptionKey },
    WEBHOOK_TOKEN: token,
  }
}

/** The same as the hub of a test is given it. */
function configOf(
  stranger: Stranger,
  token: string,
): Pick<NonNullable<Given['config']>, 'platform' | 'webhooks' | 'pulls'> {
  const values = valuesOf(stranger, token)
  const { platform, pulls } = parse(pageYaml().replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? ''))
  const { webhooks, ...rest } = platform
  return { platform: { ...rest, trustWebhooks: false, saleStores: { NO: '101' } }, webhooks, pulls }
}

const TEE = '7090012340011'
const KINDS = Object.keys(EXAMPLES)

const BOOKS =
  'sale invoice settlement received cost delivery movement count adjustment transfer giftCard terminal reservation'

/** The shop, books and SMS gateway of a retailer: what each method was called with. */
interface Office extends AsyncDisposable {
  url: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what was sent.
  called: { name: string; body: any }[]
}

async function startOffice(): Promise<Office> {
  const called: Office['called'] = []
  const server = await listen((request, response) => {
    void json(request)
      .catch(() => null)
      .then((body) => {
        called.push({ name: (request.url ?? '').slice(1), body })
        response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":"o-${called.length}"}`)
      })
  })
  return { ...server, called }
}

let stranger: Stranger
let hub: TestHub
let office: Office
let bus: Sink
let clock: TestClock
let erpKey: string
const opened = new AsyncDisposableStack()

beforeAll(async () => {
  clock = createTestClock()
  clock.advance(Date.parse('2026-11-21T06:00:00Z') - Date.now())
  stranger = opened.use(await startStranger(clock.now))
  office = opened.use(await startOffice())
  bus = opened.use(await startSink())
  const port = await freePort()
  const call = (name: string) => ({ path: `/${name}`, body: '$' })
  const linked = (names: string) =>
    Object.fromEntries(names.split(' ').map((name) => [name, { ...call(name), link: 'answer.id', idempotent: true }]))
  const plain = (names: string) =>
    Object.fromEntries(names.split(' ').map((name) => [name, { ...call(name), idempotent: true }]))
  hub = opened.use(
    await startTestHub({
      clock,
      random: () => 0.5,
      destinations: {
        office: {
          ...{ adapter: 'rest', url: office.url },
          orders: { ...linked('create draft ship refund noteRefund'), ...plain('ready collected decline expire') },
          customers: linked('upsert'),
          backOffice: linked(BOOKS),
          accounts: {
            ...{ payments: { Card: '1900' }, rounding: '7770', differences: '1999', discrepancy: '7799' },
            ...{ vat: { 25: { sales: '3000', vat: '2700' } }, areas: { 1: 25 } },
          },
        },
        texts: { adapter: 'sms-http', url: `${office.url}/text`, body: { to: '{{to}}', text: '{{text}}' } },
        bus: { adapter: 'http', url: bus.url, publish: 'all' },
      },
      config: {
        ...configOf(stranger, WEBHOOK_TOKEN),
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        mirror: 'all',
      },
    }),
  )
  await run('stores')
  await run('subscriptions')
  const asked = { system: 'erp', may: SUBMIT_SCOPES.join(',') }
  erpKey = (await hub.admin<{ key: string }>('keys', asked)).body.key
}, 120_000)

afterAll(() => opened.disposeAsync())

async function run(job: string): Promise<JobStatus> {
  const { body } = await hub.admin<JobStatus>(`jobs/${job}/run`, {})
  return await eventually(async () => {
    const { jobs } = (await hub.admin<{ jobs: JobStatus[] }>('jobs')).body
    const now = jobs.find(({ name }) => name === job) ?? body
    return now.running ? false : now
  })
}

const rows = async (query: string) =>
  (await hub.admin<{ deliveries: DeliveryRow[] }>(`deliveries?limit=500&${query}`)).body.deliveries

const OVER = ['delivered', 'superseded', 'dead', 'held', 'skipped', 'off']

/** Waits until all that is owed is done; what waits for a later time gets there. */
async function quiet(): Promise<void> {
  await eventually(async () => {
    const open = (await rows('')).filter(({ state }) => !OVER.includes(state))
    const next = Math.min(...open.map(({ dueAt }) => dueAt ?? 0))
    if (open.length > 0 && next > clock.now()) clock.advance(next - clock.now() + 1)
    expect(open.map(({ flow, state, why }) => [flow, state, why])).toEqual([])
  })
}

/** What a method of the office was called with. */
const calls = (name: string) => office.called.filter((one) => one.name === name).map(({ body }) => body)

async function submit(path: string, item: object, method: 'POST' | 'PATCH' = 'POST'): Promise<void> {
  const answer = await hub.ask(`/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${erpKey}`, 'content-type': 'application/json', 'idempotency-key': `${path}-1` },
    body: JSON.stringify(item),
  })
  expect(answer).toMatchObject({ status: 202 })
}

const KARI = { firstName: 'Kari', email: 'kari@example.com' }
const ORDER = {
  ...{ orderNo: 'W-1', storeNo: '101', saleDateTime: '2026-11-20T10:30:00+01:00', customer: KARI },
  orderLines: [{ gtin: TEE, price: '199.50', quantity: '1' }],
}
const TEXT = { description: 'Of organic cotton.', images: ['https://images.example/tee.jpg'] }
const PRODUCT = {
  ...{ extId: 'T-100-01', name: 'Tee', brand: 'Nordlys', groupName: 'Tops', season: 'BASIC', color: 'Red' },
  ...{ price: '199.50', createProductSpecificSize: true, productSizes: [{ gtin: TEE, label: 'M' }] },
}

test('what own systems submit arrives at the platform, in the words of the specification', async () => {
  await submit('products', PRODUCT)
  await submit('products/T-100-01', TEXT, 'PATCH')
  await submit('prices', {
    ...{ list: 'Retail NO', productExtId: 'T-100-01', price: '199.50' },
    ...{ validFrom: '2026-11-01T00:00:00Z', validTo: '2031-01-01T00:00:00Z' },
  })
  await submit('stock-adjustments', { stockNo: '101', gtin: TEE, quantity: '10' })
  await submit('goods-deliveries', {
    ...{ storeNo: '101', extRef: 'PO-9', insertAsConfirmed: true },
    orderLines: [{ gtin: TEE, qty: '3', cost: '80' }],
  })
  await submit('orders', ORDER)
  await submit('sales', {
    ...{
      orderNo: 'N-1',
      country: 'NO',
      saleDateTime: '2026-11-20T10:30:00+01:00',
      customer: { extId: 'C-1', ...KARI },
    },
    ...{ salesLines: [{ identity: TEE, price: '199.50', qty: 1 }], paymentLines: [{ amount: 199.5 }] },
  })

  await eventually(() => expect(Object.keys(stranger.taken)).toHaveLength(8))
  await quiet()
  expect((await rows('destination=platform')).map(({ flow, state, code }) => [flow, state, code])).toEqual(
    Array(7).fill([expect.any(String), 'delivered', 'delivered']),
  )
  expect(stranger.taken).toMatchObject({
    product: [{ extId: 'T-100-01', name: 'Tee', productSizes: [{ gtin: TEE, label: 'M' }] }],
    'product text': [{ extId: 'T-100-01', ...TEXT }],
    'price list': [{ name: 'Retail NO', prices: [{ productExtId: 'T-100-01', price: 199.5 }] }],
    adjustment: [{ stockId: 12, isCompleteStockCount: false, items: [{ gtin: TEE, quantity: 10 }] }],
    delivery: [{ extRef: 'PO-9', stockId: 12, storeId: 42, orderLines: [{ gtin: TEE, qty: 3, cost: 80 }] }],
    order: [{ storeId: '42', body: { orderNo: 'W-1', status: 'UnHandled', orderLines: [{ gtin: TEE }] } }],
    customer: [{}],
    sale: [{ storeId: '42', body: { extRef: 'N-1', customerID: 501, salesLines: [{ identity: TEE, qty: 1 }] } }],
  })
})

test('all 27 kinds arrive once, and each is done right where it belongs', async () => {
  for (const kind of KINDS) {
    await stranger.tell(kind)
    // Nobody is told that goods are ready which are collected by then.
    if (kind === 'OmniChannelOrderUpdated') await eventually(() => expect(calls('ready')).toHaveLength(1))
  }
  await eventually(() => expect(bus.received).toHaveLength(KINDS.length))
  await quiet()

  expect(stranger.log.filter(({ success }) => !success)).toEqual([])
  expect(bus.received.map(({ kind }) => kind).sort()).toEqual([...KINDS].sort())
  const wrong = (await rows('')).filter(({ state }) => state !== 'delivered' && state !== 'superseded')
  expect(wrong.map(({ kind, flow, state, why }) => [kind, flow, state, why])).toEqual([])
  expect(
    calls('sale')
      .map(({ sale, external, storeNo, day }) => [sale.receiptNo, sale.total.amount, external, storeNo, day])
      .sort(),
  ).toEqual([
    ['S-1', '399', false, '101', '2026-11-20'],
    ['S-2', '399', false, '101', '2026-11-20'],
    ['X-1', '199.5', true, '101', '2026-11-20'],
  ])
  expect(calls('invoice')).toMatchObject([
    { storeNo: '101', invoice: { number: '9001', amount: { amount: '1250', currency: 'NOK' }, dueOn: '2026-12-20' } },
  ])
  // The webhook tells the total alone: the payments are those of the platform's own record.
  expect(calls('settlement')).toMatchObject([
    { day: '2026-11-20', settlement: { settlementId: '900', payments: [{ type: 'Card', amount: { amount: '399' } }] } },
  ])
  expect(
    calls('received')
      .map(({ delivery, line, quantity }) => [delivery.deliveryId, line.gtin, quantity])
      .sort(),
  ).toEqual([
    ['77', TEE, '3'],
    ['78', TEE, '2'],
    ['78', TEE, '3'],
  ])
  expect(calls('delivery').map(({ delivery }) => delivery.deliveryId)).toEqual(['78'])
  expect(calls('movement')).toMatchObject([{ movement: { movementId: '4001', quantity: '-2', level: '6' } }])
  expect(calls('count')).toMatchObject([{ count: { countId: 'c-1', items: [{ gtin: TEE, quantity: '8' }] } }])
  expect(calls('adjustment')).toMatchObject([{ adjustment: { adjustmentId: 'a-1', reason: 'Damaged' } }])
  expect(
    calls('transfer')
      .map(({ step, virtual, storeNo, transfer }) => [transfer.transferId, step, virtual, storeNo])
      .sort(),
  ).toEqual([
    ['t-1', 'received', false, '102'],
    ['t-1', 'sent', false, '101'],
    ['t-2', 'received', true, '102'],
    ['t-2', 'sent', true, '101'],
  ])
  expect(
    calls('reservation')
      .map(({ step, reservation }) => [step, reservation.reservationId, reservation.quantity])
      .sort(),
  ).toEqual([
    ['ended', 'h-2', '1'],
    ['made', 'h-1', '1'],
  ])
  expect(calls('terminal')).toMatchObject([
    { reconciliation: { reconciliationId: 'k-1', amount: { amount: '399' }, count: '1' } },
  ])
  expect(calls('giftCard')).toMatchObject([
    { transaction: { transactionId: 'g-1', type: 'Sold', balance: { amount: '500' } } },
  ])
  expect(calls('upsert')).toMatchObject([
    { customer: { customerId: '501', email: 'kari@example.com', phone: '+4790012345' } },
  ])
  expect(calls('create')).toMatchObject([
    { order: { number: 'EA-1', transactionId: 'tx-1', lines: [{ gtin: TEE, quantity: '2' }] } },
  ])
  expect(calls('draft')).toMatchObject([{ order: { number: 'n-1', lines: [{ gtin: TEE, quantity: '1' }] } }])
  expect(calls('refund')).toMatchObject([{ refund: { number: 'EA-1' }, quantity: '1' }])
  expect(calls('ready').map(({ order }) => order.number)).toEqual(['W-1'])
  expect(calls('collected').map(({ order }) => order.number)).toEqual(['W-1'])
  expect(calls('text')).toMatchObject([{ to: '+4790012345', text: expect.stringContaining('399.00 NOK') }])
})

test('webhooks that get lost are taken from the log by the ids that the platform answered', async () => {
  const { SaleCreated, CustomerUpdated, GiftCardTransactionCreated } = EXAMPLES
  stranger.isCutOff = true
  await stranger.tell('SaleCreated', { ...SaleCreated, receiptNo: 'S-3' })
  await stranger.tell('CustomerUpdated', {
    Member: {
      ...(CustomerUpdated as { Member: object }).Member,
      Mail: 'kari.n@example.com',
      Changed: '2026-11-21T06:00:00Z',
    },
  })
  await stranger.tell('GiftCardTransactionCreated', {
    Card: { ...(GiftCardTransactionCreated as { Card: object }).Card, Key: 'g-2' },
  })
  stranger.isCutOff = false
  clock.advance(60_000)
  expect(await run('resend-failed')).toMatchObject({ problem: null, note: '27 subscriptions: 3 taken from the log' })
  await quiet()
  expect(calls('sale').map(({ sale }) => sale.receiptNo)).toContain('S-3')
  expect(calls('upsert').at(-1)).toMatchObject({ customer: { email: 'kari.n@example.com' } })
  expect(calls('giftCard').map(({ transaction }) => transaction.transactionId)).toEqual(['g-1', 'g-2'])
  expect(await run('resend-failed')).toMatchObject({ problem: null, note: '27 subscriptions: 3 already received' })
})

test('what is pulled is right, and what was told already is not told again', async () => {
  const notes: Record<string, string | null> = {}
  for (const job of PULLS) {
    const { note, problem } = await run(job)
    notes[job] = problem ?? note
    // What one has brought, the next one compares with.
    await quiet()
  }
  expect(notes).toMatchInlineSnapshot(`
    {
      "goods-deliveries": "2 stocks: 1 delivery, 1 with news",
      "products": "off: this platform has no products.search: it answered 404",
      "read-back": "off: this platform has no products.search: it answered 404",
      "reconcile-lists": "2 kinds: 0 records; of SaleCreated they cannot tell: pulls.saleColumns does not name the receipt and its POS",
      "reconcile-pos": "1 POS",
      "reconcile-stock": "no differences",
      "sales-lines": "8 days: 2 lines, 1 other hour",
      "schemas": "27 of 27 kinds have a schema; with all that cannot be done without",
      "settlements": "8 days: 1 settlement, 0 new",
      "stock-levels": "2 stocks: 2 rows, 2 other levels",
      "stock-movements": "8 days: 3 movements, 2 new",
      "subscriptions": "27 subscribed before; the platform shows no list of subscriptions",
    }
  `)
  const wrong = (await rows('')).filter(({ state }) => state !== 'delivered' && state !== 'superseded')
  expect(wrong.map(({ kind, flow, state, why }) => [kind, flow, state, why])).toEqual([])
  expect(calls('movement').map(({ movement }) => [movement.movementId, movement.type, movement.quantity])).toEqual([
    ['4001', 'Sale', '-2'],
    ['4002', 'PurchaseOrderReceived', '3'],
    ['4003', 'Relocation', '-1'],
  ])
  expect(calls('received').at(-1)).toMatchObject({ delivery: { deliveryId: '79', reference: 'PO-3' }, quantity: '2' })
  expect(calls('settlement')).toHaveLength(1)
})

const PULLS = [
  ...['schemas', 'settlements', 'stock-levels', 'stock-movements', 'sales-lines', 'goods-deliveries'],
  ...['products', 'read-back', 'reconcile-stock', 'reconcile-lists', 'reconcile-pos', 'subscriptions'],
]

test('the proof of the log holds, and health names no outage', async () => {
  clock.advance(3 * HOUR)
  expect(await run('reconcile-log')).toMatchObject({ problem: null, note: expect.stringContaining('27 subscriptions') })
  const { body: complete } = await hub.admin<{ verdict: string }>(
    `completeness?until=${new Date(clock.now() - 2.5 * HOUR).toISOString()}`,
  )
  const { body: health } = await hub.admin<{ items: HealthItem[] }>('health')
  const outage = health.items.filter(({ state, area }) => state === 'problem' && area !== 'job')
  const { jobs } = (await hub.admin<{ jobs: JobStatus[] }>('jobs')).body
  const failed = jobs.filter(({ problem }) => problem !== null).map(({ name, problem }) => [name, problem])
  expect({ verdict: complete.verdict, outage, failed }).toEqual({ verdict: 'proven', outage: [], failed: [] })
})

const HOUR = 3_600_000

/** What doctor finds where the hub runs, with the config of the page, changed by `change`. */
async function doctor(change: (yaml: string) => string): Promise<Finding[]> {
  const { publicUrl = '' } = hub.config.server
  const path = join(hub.folder, 'doctor.yaml')
  const server = `server: { publicUrl: "${publicUrl}", port: ${new URL(publicUrl).port}, adminToken: "\${ADMIN_TOKEN}" }`
  await writeFile(path, change(`${server}\n${pageYaml()}`))
  const values = { ...valuesOf(stranger, WEBHOOK_TOKEN), ADMIN_TOKEN }
  return await diagnose({
    ...values,
    TILLBRIDGE_CONFIG: path,
    TILLBRIDGE_URL: hub.url,
    TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN,
  })
}

test('doctor finds no outage where there is none', async () => {
  const found = await doctor((yaml) => yaml)
  const ours = found.filter(({ check }) => !['hub', 'store', 'destinations'].includes(check))
  expect(ours.filter(({ state }) => state === 'problem')).toEqual([])
  expect(found.find(({ check }) => check === 'kinds')?.says).toContain('offers 27 kinds')
  expect(found.find(({ check }) => check === 'subscriptions')?.says).toContain(
    'shows no list of subscriptions; the hub remembers: 27 subscribed before',
  )
})

test('doctor calls a list that it cannot read unreadable, with its fields and the key that remedies it', async () => {
  const kindsOf = async (from: string, to: string) =>
    (await doctor((yaml) => yaml.replace(from, to))).find(({ check }) => check === 'kinds')
  const mapping = 'webhooks.types: { list: items, fields: { name: EventName } }'
  expect(await kindsOf(mapping, 'webhooks.types: { list: items }')).toMatchObject({
    state: 'problem',
    says: 'What webhooks.types answers cannot be read: 27 rows, of which row 1 is an object without a name. Its fields: EventName. So nothing is known of what it lists.',
    todo: expect.stringContaining('fields of platform.endpoints.webhooks.types'),
  })
  expect(await kindsOf(mapping, 'webhooks.types: { timeout: 10s }')).toMatchObject({
    state: 'problem',
    says: expect.stringContaining('Its fields: items.'),
  })
}, 60_000)

test('a mapping of its kinds is proposed from the schemas that it publishes, with what nobody can tell left open', async () => {
  const config = join(hub.folder, 'unmapped.yaml')
  const written = parse(pageYaml())
  const own = written.platform.payloads
  await writeFile(
    config,
    stringify({
      server: { adminToken: `\${ADMIN_TOKEN}` },
      ...written,
      platform: { ...written.platform, payloads: {} },
    }),
  )
  const { code, out, err } = await tillbridge(['kinds', 'propose', '--config', config], {
    ...valuesOf(stranger, WEBHOOK_TOKEN),
    ADMIN_TOKEN,
  })
  expect([code, err]).toEqual([0, ''])
  const proposed = Payloads.parse(parse(out).platform.payloads) as Record<string, Record<string, string>>
  const otherwise = Object.entries(proposed).flatMap(([kind, fields]) =>
    Object.entries(fields).flatMap(([field, where]) =>
      own[kind][field] === where ? [] : `${kind} ${field}: ${where}`,
    ),
  )
  // The one line that its person has to put right: of a count, `No` is the number of the count.
  expect(otherwise).toEqual(['StockCountReconciled stockNo: Reconcile.No'])
  // Each field of the page's mapping, or its list, is proposed, or left open, or the event can do without it.
  for (const kind of Object.keys(own)) {
    const [, lines = ''] = new RegExp(`^    ${kind}:\\n((?: {6}.*\\n)*)`, 'm').exec(out) ?? []
    const reported = (field: string) =>
      new RegExp(`^ {6}(${field}: |# OPEN, needed:.* ${field}\\b|# Not in the schema.*[ ,]${field}\\b)`, 'm').test(
        lines,
      )
    expect([
      kind,
      Object.keys(own[kind]).filter((field) => !reported(field) && !reported(field.replace(/\.\w+$/, ''))),
    ]).toEqual([kind, []])
  }
  expect(out).toMatch(/^ {6}# OPEN, needed: currency: which of Bill\.Money, .*\?\n {6}# currency: <where it is>$/m)
})
