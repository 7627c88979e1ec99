import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { methodOf, RECORD_KINDS, type RecordKind } from '../../../src/adapters/shared/records.ts'
import { BOOKING_NAMES, type Bookings } from '../../../src/domain/accounting/bookings.ts'
import { createStoreIndex } from '../../../src/domain/stores/store-index.ts'
import { flows } from '../../../src/flows/index.ts'
import { reconcileDestinationsJob } from '../../../src/jobs/reconciliation/reconcile-destinations.ts'
import { NO_MAPPINGS } from '../../../src/platform/payloads/mapping/mapping.ts'
import type { BackOfficeCall, BackOfficePort, Batch, GivenOrder } from '../../../src/ports/ports.ts'
import { attempt } from '../../../test/adapters/contract.ts'
import { load, MINIMUM, problemsOf } from '../../../test/config/fixture.ts'
import { openTestStore } from '../../../test/empty-store.ts'
import { createFolder } from '../../../test/folder.ts'
import { listen } from '../../../test/listen.ts'
import { orderOf } from '../../tillbridge-adapter-woocommerce/test/kit.ts'
import { bookingSample } from '../src/options.ts'
import rest from '../src/rest.ts'
import { startRest, startWithOms } from './kit.ts'

interface Request {
  line: string
  key: string | undefined
  body: unknown
}

type Answer = { status: number; body?: object } | 'inactivity' | 'close'

/** Books that keep vouchers by their reference. `answers`: what the next requests are answered, though they are kept. */
async function startBooks() {
  const requests: Request[] = []
  const answers: Answer[] = []
  const vouchers: { id: number; reference: string }[] = []
  const server = await listen(async (request, response) => {
    const body = request.method === 'GET' ? null : await json(request).catch(() => null)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://books')
    requests.push({
      line: `${request.method} ${pathname}`,
      key: request.headers['idempotency-key']?.toString(),
      body,
    })
    const reference = (body as { reference?: string } | null)?.reference
    const answer = answers.shift() ?? { status: request.method === 'POST' ? 201 : 200 }
    const isTaken = typeof answer !== 'object' || answer.status < 300 || answer.status === 500
    if (reference && isTaken) vouchers.push({ id: 7000 + vouchers.length, reference })
    if (answer === 'close') return void request.socket.destroy()
    if (answer === 'inactivity') return
    const found = vouchers.filter((one) => one.reference === searchParams.get('reference'))
    const said = request.method === 'GET' ? { vouchers: found } : { id: vouchers.at(-1)?.id ?? 4711 }
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.body ?? said))
  })
  return {
    ...server,
    requests,
    answers,
    vouchers,
  }
}

/** The config that the page shows, against books of this address. */
async function startWithBooks(timeout = 5_000) {
  const books = await startBooks()
  const pages = readFileSync('docs/adapters/rest.md', 'utf8').matchAll(/```yaml\n(destinations:\n {2}books:.*?)```/gs)
  const [[, yaml = ''] = []] = [...pages]
  const config = await load(MINIMUM + yaml.replace('https://books.example.com/api', books.url), {
    env: { BOOKS_TOKEN: 'token-of-the-books' },
    options: { rest: rest.options },
  })
  const instance = startRest(config.destinations[0]?.options ?? {}, 'books', timeout)
  return {
    books,
    port: instance.ports.backOffice as Required<BackOfficePort>,
    async [Symbol.asyncDispose]() {
      await instance[Symbol.asyncDispose]()
      await books[Symbol.asyncDispose]()
    },
  }
}

function recordOf<Kind extends RecordKind>(kind: Kind): Bookings[`book${Capitalize<Kind>}`] {
  return bookingSample(kind, 1) as Bookings[`book${Capitalize<Kind>}`]
}

function batchOf<Argument>(argument: Argument, keys: string[], given: Parameters<typeof attempt>[0] = {}) {
  return keys.map((key) => ({ argument, attempt: attempt({ ...given, key }) })) satisfies Batch<Argument>
}

const settlement = recordOf('settlement')
const call: BackOfficeCall = { port: 'backOffice', method: 'bookSettlement', argument: settlement }

describe('what the page shows', () => {
  test('When settlements are booked, then each is a voucher of its own, with exact amounts, and linked', async () => {
    await using world = await startWithBooks()
    const results = await world.port.bookSettlement(batchOf(settlement, ['K1', 'K2']))
    expect(world.books.requests.map(({ line, body }) => [line, body])).toEqual(
      ['K1', 'K2'].map((reference) => [
        'POST /vouchers',
        {
          reference,
          date: '2026-11-20',
          text: 'Settlement 3001, POS 3',
          lines: [{ account: '1910', text: 'Cash', amount: 349 }],
        },
      ]),
    )
    expect(results).toEqual(
      ['7000', '7001'].map((theirId) => ({
        note: '201 Created',
        links: [{ kind: 'settlement', id: '3001', theirId }],
      })),
    )
  })

  test('When the answer is lost, then the voucher is looked for, found, and there once', async () => {
    await using world = await startWithBooks()
    world.books.answers.push('close')
    const [lost] = await world.port.bookSettlement(batchOf(settlement, ['K1']))
    expect(lost).toMatchObject({ name: 'UnknownOutcomeError' })
    expect(await world.port.find(attempt({ key: 'K1', previous: 'open' }), call)).toEqual({
      links: [{ kind: 'settlement', id: '3001', theirId: '7000' }],
    })
    expect(await world.port.find(attempt({ key: 'K2', previous: 'open' }), call)).toBeNull()
    expect(world.books.vouchers).toHaveLength(1)
  })

  test('When goods have come, then the key goes along, and after a failure it may be sent again', async () => {
    await using world = await startWithBooks()
    world.books.answers.push({ status: 500 })
    const received = recordOf('received')
    const results = await world.port.bookReceived(batchOf(received, ['K1', 'K2']))
    expect(results).toMatchObject([{ name: 'RetryLaterError', scope: 'item' }, { note: '201 Created' }])
    expect(world.books.requests).toEqual(
      ['K1', 'K2'].map((key) => ({
        line: 'POST /purchases/PO-2026-17/receipts',
        key,
        body: { gtin: '7090012340011', quantity: 1 },
      })),
    )
    const open = attempt({ key: 'K1', previous: 'open' })
    await expect(
      world.port.find(open, { port: 'backOffice', method: 'bookReceived', argument: received }),
    ).rejects.toMatchObject({ code: 'may-repeat' })
  })
})

describe('a batch', () => {
  test('When one record is refused, then the others are sent all the same', async () => {
    await using world = await startWithBooks()
    world.books.answers.push({ status: 201 }, { status: 422, body: { error: { code: 'closed-period' } } })
    const results = await world.port.bookSettlement(batchOf(settlement, ['K1', 'K2', 'K3']))
    expect(results).toMatchObject([
      { note: '201 Created' },
      { name: 'PermanentError', message: expect.stringContaining('closed-period') },
      { note: '201 Created' },
    ])
    expect(world.books.vouchers.map(({ reference }) => reference)).toEqual(['K1', 'K3'])
  })

  test('When nobody would get through, then the rest is not tried', async () => {
    await using world = await startWithBooks()
    world.books.answers.push({ status: 201 }, { status: 503 })
    const results = await world.port.bookSettlement(batchOf(settlement, ['K1', 'K2', 'K3', 'K4']))
    expect(results).toMatchObject([
      { note: '201 Created' },
      ...[2, 3, 4].map(() => ({ name: 'RetryLaterError', scope: 'destination' })),
    ])
    expect(world.books.requests).toHaveLength(2)
  })

  test('When it was executed for all that is known, then it is uncertain, and the rest is sent', async () => {
    await using world = await startWithBooks()
    world.books.answers.push({ status: 500 })
    const results = await world.port.bookSettlement(batchOf(settlement, ['K1', 'K2']))
    expect(results).toMatchObject([{ name: 'UnknownOutcomeError', code: 'http-500' }, { note: '201 Created' }])
  })

  test('When time is over, then what was under way is uncertain, and the rest was not sent', async () => {
    await using world = await startWithBooks()
    world.books.answers.push('inactivity')
    const { signal, abort } = abortable()
    const booking = world.port.bookSettlement(batchOf(settlement, ['K1', 'K2'], { signal }))
    await expect.poll(() => world.books.requests.length).toBe(1)
    abort()
    expect(await booking).toMatchObject([
      { name: 'UnknownOutcomeError' },
      { name: 'RetryLaterError', scope: 'destination' },
    ])
    expect(world.books.requests).toHaveLength(1)
  })
})

describe('every record', () => {
  const kinds = Object.keys(RECORD_KINDS) as RecordKind[]

  test('The port has a name in config for each', () => {
    expect(kinds.map(methodOf)).toEqual([...BOOKING_NAMES])
    expect(Object.keys(rest.options.shape.backOffice.unwrap().shape)).toEqual(kinds)
  })

  test.each(kinds)('When %s is told, then mappings see all of it, and nothing that is null', async (kind) => {
    await using books = await startBooks()
    const written = {
      path: '/reported',
      body: '{ "reference": key, "all": $$, "place": [storeNo, day] }',
      link: 'answer.id',
    }
    await using instance = startRest({ url: books.url, backOffice: { [kind]: written } }, 'books')
    const port = instance.ports.backOffice
    expect(Object.keys(port ?? {})).toEqual([methodOf(kind)])
    const tell = port?.[methodOf(kind)] as (batch: Batch<unknown>) => Promise<{ links?: object[] }[]>
    const { theirId: _, ...record } = { theirId: '', ...bookingSample(kind, 2), stockId: null }
    const [effect] = await tell(batchOf(record, ['K1']))
    const { stockId, ...rest } = record
    expect(stockId).toBeNull()
    expect(books.requests[0]?.body).toEqual({
      reference: 'K1',
      all: { ...rest, key: 'K1' },
      place: ['101', '2026-11-20'],
    })
    expect(effect?.links).toEqual([{ kind, id: expect.stringMatching(/./), theirId: '7000' }])
  })
})

describe('what an operator writes', () => {
  const booksWith = (written: string) => `${MINIMUM}destinations:
  books: { adapter: rest, url: "https://books.example.com", backOffice: { ${written} } }
`
  test.each([
    ['a record that there is not', 'sales: { path: "/" }', 'backOffice.sales'],
    ['a name that the record has not', 'settlement: { path: "/{{settlement.number}}" }', 'backOffice.settlement.path'],
    [
      'a list that is none for one line',
      'settlement: { path: "/", body: "{ \\"lines\\": journal.lines.{ \\"account\\": account } }" }',
      'backOffice.settlement.body',
    ],
    [
      'one request of several that fails',
      'sale: [{ when: external, path: "/{{sale.receipt}}" }]',
      'backOffice.sale.0.path',
    ],
  ])('When there is %s, then the hub says where', async (_, written, path) => {
    const [problem] = await problemsOf(booksWith(written), { options: { rest: rest.options } })
    expect(problem?.path.replace(/\[(\d)\]/g, '.$1')).toContain(path)
  })
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

const question = { signal: new AbortController().signal }
const given = (...keys: [string, ...string[]]): GivenOrder => ({ keys, order: orderOf(), givenAt: 0, links: [] })

test('When an OMS is asked for orders by the find of config, then it is told which are there; one that is down answers nothing', async () => {
  await using world = await startWithOms()
  await world.orders.create(orderOf(), attempt({ key: 'K1' }))
  const asked = [given('K1'), given('K2'), given('K2', 'K1')]
  expect(await world.orders.reconcile(asked, question)).toEqual([
    { is: 'there', count: 1, amount: null },
    { is: 'lacking' },
    { is: 'there', count: 1, amount: null },
  ])
  await world.orders.create(orderOf(), attempt({ key: 'K1' }))
  expect(await world.orders.reconcile([given('K1')], question)).toEqual([{ is: 'there', count: 2, amount: null }])
  await world.oms[Symbol.asyncDispose]()
  await expect(world.orders.reconcile([given('K1')], question)).rejects.toMatchObject({ name: 'RetryLaterError' })
})

test('When config has no find, or knows orders by their key, or may send nothing, then the system cannot be asked', async () => {
  const url = 'http://127.0.0.1:1'
  const create = { path: '/orders', body: '{"number": order.number}' }
  const find = { path: '/orders?reference={{key}}', found: 'answer.id' }
  const written = [create, { ...create, idempotent: true }, { ...create, find, when: 'order.number = "1"' }]
  for (const one of written) {
    await using instance = startRest({ url, orders: { create: one } })
    expect(instance.ports.orders?.reconcile).toBeUndefined()
  }
  await using instance = startRest({ url, orders: { create: { ...create, find } } })
  expect(instance.ports.orders?.reconcile).toBeDefined()
})

test('When `find` stands at the refund and not at `create`, then the nightly count asks for refunds', async () => {
  await using folder = await createFolder()
  await using storage = await openTestStore(join(folder.path, 'hub.db'))
  const refund = { path: '/refunds', find: { path: '/refunds?reference={{key}}', found: 'answer.id' } }
  await using oms = startRest({ url: 'http://127.0.0.1:1', orders: { create: { path: '/orders' }, refund } })
  const { state } = await reconcileDestinationsJob({
    storage,
    destinations: [{ name: 'oms', ports: oms.ports, dryRun: false, timeout: 1_000 }],
    flows,
    mappings: NO_MAPPINGS,
    rules: { days: 7, patience: 0, leave: [] },
    storeIndex: () => createStoreIndex([]),
    reached: () => {},
  }).run({ now: Date.now(), asked: true, signal: question.signal, state: null, save: async () => {} })
  expect(state).toMatchObject({ destinations: { oms: { cannot: null, problem: null } } })
})
