import { afterEach, describe, expect, test } from 'vitest'
import { flows } from '../../src/flows/index.ts'
import { createReading, createThreadReader, type Read } from '../../src/ingest/parse.ts'
import { createRoute, type Routable } from '../../src/ingest/route.ts'
import { sale } from '../fixtures/payloads.ts'
import { busTo, keptAs, startTestHub } from '../hub.ts'
import { startSink } from '../sink.ts'
import { largeSale, pulled, routableTo } from './inbox-of.ts'

const LIMITS = { depth: 64, keys: 5_000, items: 1_000_000, values: 10_000_000 }

const BUS = routableTo('bus')

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

function reader({ patience }: { patience?: number } = {}) {
  const read = createReading({ route: createRoute(flows, [BUS]), limits: LIMITS })
  const made = createThreadReader({
    read,
    routables: [BUS],
    limits: LIMITS,
    stores: () => [],
    ...(patience !== undefined && { patience }),
  })
  opened.push(made)
  return { ...made, read, rejected: made.read }
}

test('when a body is large, then it is read in another thread, with the same result as a small one', async () => {
  const { rejected, read } = reader()
  const incoming = pulled('SaleCreated', largeSale('L-1'), { origin: 'platform' })

  const arrival = rejected(incoming)

  expect(arrival).toBeInstanceOf(Promise)
  expect(await arrival).toEqual(read(incoming))
  expect(await arrival).toMatchObject({ problem: null, deliveries: [{ destination: 'bus' }] })
  expect(rejected(pulled('SaleCreated', sale(), { origin: 'platform' }))).not.toBeInstanceOf(Promise)
})

test('when several come at once, then each is answered with its own', async () => {
  const { rejected } = reader()
  const all = ['A', 'B', 'C'].map((receipt) =>
    rejected(pulled('SaleCreated', largeSale(receipt), { origin: 'platform' })),
  )

  const identities = (await Promise.all(all)).map(({ identity }) => identity)

  expect(identities.map((identity) => identity?.split('/')[2])).toEqual(['A', 'B', 'C'])
})

test('when one has more in it than may be read, so that it would take too much memory, then it is kept unread, and the next is read', async () => {
  const { rejected } = reader()
  const numbers = Buffer.from(`[${'[1],'.repeat(8_000_000)}1]`)
  const hungry = { ...pulled('SaleCreated', {}), origin: 'platform', body: numbers }

  const [kept, next] = await Promise.all([
    rejected({ ...hungry }),
    rejected(pulled('SaleCreated', largeSale('N-1'), { origin: 'platform' })),
  ])

  expect(kept?.problem).toMatch(
    /^not read: it has more than 10000000 values|^not read: a list in it has more than 1000000 items/,
  )
  expect(kept?.body).toBe(numbers)
  expect(next).toMatchObject({ problem: null })
})

test('when reading one takes too long, then it is kept unread', async () => {
  const { rejected } = reader({ patience: 0 })

  expect(await rejected(pulled('SaleCreated', largeSale('S-1'), { origin: 'platform' }))).toMatchObject({
    problem: 'not read: it took longer than 0 ms',
    deliveries: [],
  })
})

test('when two large bodies are compared, then that happens there, too', async () => {
  const { completes } = reader()
  const thin = Buffer.from(JSON.stringify(largeSale('C-1')))
  const full = Buffer.from(JSON.stringify({ ...largeSale('C-1'), more: true }))

  expect(await completes(full, thin)).toBe(true)
  expect(await completes(thin, full)).toBe(false)
  expect(await completes(Buffer.from(`${'{'.repeat(300_000)}`), thin)).toBe(false)
  // Small ones are compared at once.
  const small = Buffer.from(JSON.stringify(sale()))
  expect(completes(Buffer.from(JSON.stringify({ ...sale(), more: true })), small)).toBe(true)
})

describe('what the other thread knows', () => {
  const daily = (closes: string) => ({ flows: ['book-sale'], closes })
  const books = (closes: string): Routable => ({
    ...BUS,
    name: 'books',
    abilities: ['backOffice.bookSale'],
    daily: daily(closes),
  })
  const STORES = [{ storeId: '42', number: '101', stockId: '12', countryCode: 'NO', zone: 'Europe/Oslo' }]

  function readerOf(
    routables: Routable[],
    stores: () => typeof STORES,
    read: Read = createReading({ route: () => [] }),
  ) {
    const made = createThreadReader({ read, routables, limits: LIMITS, stores })
    opened.push(made)
    const rejected = (receiptNo: string) =>
      made.read(pulled('SaleCreated', largeSale(receiptNo), { origin: 'platform' }))
    return Object.assign(rejected, { reader: made })
  }

  test('when the stores change, then it knows that at the next body, and destinations are what they are here', async () => {
    let stores: typeof STORES = []
    const gathering = { ...books('03:00'), gathers: true, daily: { flows: [], closes: '03:00' } }
    const rejected = readerOf([{ ...BUS, stores: ['no'] }, books('03:00'), { ...gathering, name: 'erp' }], () => stores)
    const pending = async () => (await rejected('S-1')).deliveries.map(({ destination, batch }) => [destination, batch])
    expect(await pending()).toEqual([
      ['bus', null],
      ['books', '2026-11-20 101'],
      ['erp', 'book-sale'],
    ])
    stores = [{ storeId: '42', number: '101', stockId: '12', countryCode: 'SE', zone: 'Europe/Oslo' }]
    expect((await pending()).map(([destination]) => destination)).toEqual(['books', 'erp'])
    expect((await pending()).map(([destination]) => destination)).toEqual(['books', 'erp'])
  })

  const IN_SWEDEN = STORES.map((store) => ({ ...store, countryCode: 'SE' }))

  test('when a flow fails there, then it is kept with why, no flow acts on it, and it goes as it came to who is to get it in that store', async () => {
    // Config lets no such time through: it stands for whatever a flow may throw.
    const broken = { ...books('never'), stores: ['101'] }
    const elsewhere = { ...BUS, name: 'elsewhere', stores: ['no'] }
    const { problem, deliveries } = await readerOf(
      [{ ...BUS, stores: ['se'] }, elsewhere, broken],
      () => IN_SWEDEN,
    )('F-1')
    expect(problem).toBe('not acted on: it could not be planned (not-a-datetime)')
    expect(deliveries).toMatchObject([{ destination: 'bus', flow: 'publish' }])
  })

  test('when the thread has ended, then the next one is told the stores again', async () => {
    const rejected = readerOf([{ ...BUS, stores: ['se'] }], () => IN_SWEDEN)
    const pending = async () => (await rejected('S-1')).deliveries.map(({ destination }) => destination)
    expect(await pending()).toEqual(['bus'])
    // A system without a name stands for whatever may fail with what an own system sends: that ends the thread.
    const broken = pulled('DeliverySubmitted', { extRef: 'x'.repeat(300_000) }, { intake: true, origin: {} as string })
    expect((await rejected.reader.read(broken)).problem).toMatch(/^not read: /)
    expect(await pending()).toEqual(['bus'])
  })

  test('when a body is as large as it may be here, then it is read here; with a byte more, it is not', async () => {
    const here: number[] = []
    const made = createThreadReader({
      read: ({ body }) => {
        here.push(body.byteLength)
        return {} as never
      },
      routables: [],
      limits: LIMITS,
      stores: () => [],
    })
    opened.push(made)
    const sized = (bytes: number) => ({ ...pulled('SaleCreated', {}), body: Buffer.alloc(bytes, '1') })
    const most = 256 * 1024
    expect(made.read(sized(most))).not.toBeInstanceOf(Promise)
    expect(made.read(sized(most + 1))).toBeInstanceOf(Promise)
    expect(here).toEqual([most])
    const half = Buffer.alloc(most / 2, '1')
    expect(made.completes(half, half)).toBe(false)
    expect(made.completes(half, Buffer.alloc(most / 2 + 1, '1'))).toBeInstanceOf(Promise)
  })
})

test('when a large sale comes, then it is taken and sent on, and other webhooks are answered meanwhile', async () => {
  await using sink = await startSink()
  await using hub = await startTestHub({ destinations: { bus: busTo(sink.url) } })

  const [first, small] = await Promise.all([
    hub.post('SaleCreated', largeSale('H-1', 15_000)),
    hub.post('SaleCreated', sale({ receiptNo: 'H-2' })),
  ])

  expect([first, small]).toMatchObject([{ status: 202 }, { status: 202 }])
  expect(keptAs(hub, first.body.id)).toMatchObject({ state: 'routed', problem: null })
  const received = await sink.until(2)
  expect(received.map(({ body }) => JSON.parse(body).receiptNo).sort()).toEqual(['H-1', 'H-2'])
})
