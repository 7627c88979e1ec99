import { describe, expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { PermanentError } from '../../src/domain/values/errors.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { flows } from '../../src/flows/index.ts'
import { publish } from '../../src/flows/publish.ts'
import { createProofs, createReading, type Incoming } from '../../src/ingest/parse.ts'
import { createRoute } from '../../src/ingest/route.ts'
import { NAMED } from '../fixtures/named-payloads.ts'
import { sale } from '../fixtures/payloads.ts'
import { pulled } from './inbox-of.ts'
import { booksTo } from './kept-events.ts'

const ROUTE = createRoute([publish], [booksTo('bus', { abilities: ['publish'], publish: 'all' })])
const LIMITS = { depth: 2, keys: 5_000, items: 100, values: 10_000 }

const webhook = (kind: string, payload: unknown, given: Partial<Incoming> = {}) =>
  pulled(kind, payload, { origin: 'platform', subscription: 'all', ...given })

/** Longer than what is read without a look at its shape. */
const DEEP = { a: { b: { c: 'x'.repeat(20_000) } } }

describe('what can be read', () => {
  const read = createReading({ route: ROUTE })

  test('When a webhook is read, then it has its name, its hash and what it owes, and nothing of how it came', () => {
    const arrival = read(webhook('SaleCreated', sale(), { transportKey: 'K-1' }))
    expect(arrival).toMatchObject({
      kind: 'SaleCreated',
      transportKey: 'K-1',
      identity: expect.stringContaining('1001'),
      versioned: false,
      exact: false,
      problem: null,
      deliveries: [{ destination: 'bus', flow: 'publish' }],
      bodyHash: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(arrival.facts).not.toBeNull()
    for (const field of ['unreadable', 'intake', 'repeatable', 'quiet', 'proves'])
      expect(arrival).not.toHaveProperty(field)
  })

  test('When nobody knows its kind, then it is taken as it is, without a name or a thing that it is about', () => {
    expect(read(webhook('BrandNew', { any: 'thing' }))).toMatchObject({
      identity: null,
      versioned: false,
      exact: false,
      entity: null,
      facts: null,
      problem: null,
      deliveries: [{ destination: 'bus' }],
    })
  })

  test('When its kind has no identity, then it may still be about something, and each arrival counts', () => {
    const transfer = read(webhook('ProductTransferCreated', { transferId: 'T-1' }))
    expect(transfer).toMatchObject({ identity: null, entity: 'transfer:T-1', facts: null, versioned: false })
  })

  test('When its kind comes again with each change, then it is versioned', () => {
    expect(read(webhook('OmniChannelOrderUpdated', { order: { orderNo: 'A1', status: 'Picked' } }))).toMatchObject({
      versioned: true,
      entity: 'order:A1',
      exact: false,
    })
  })

  test('When the hub itself says it, or an own system submits it, then it is taken exactly, by that way only', () => {
    const level = { stockId: '12', gtin: '590', sku: null, level: '4', readAt: 1_700_000_000_000 }
    const own = read(webhook('StockLevelRead', level, { intake: true }))
    expect(own).toMatchObject({ problem: null, exact: true })
    const submission = { resource: 'levels', key: 'K', line: 1 }
    expect(read(webhook('StockLevelRead', level, { submission }))).toMatchObject({
      problem: null,
      exact: true,
      submission,
    })
    expect(read(webhook('StockLevelRead', level))).toMatchObject({
      problem: 'StockLevelRead is not a kind that comes this way',
      exact: false,
      deliveries: [],
    })
    expect(read(webhook('SaleCreated', sale(), { intake: true }))).toMatchObject({
      problem: 'SaleCreated is not a kind that comes this way',
    })
    expect(read(webhook('SaleCreated', sale(), { submission })).problem).toContain('not a kind that comes this way')
  })

  test('When config says where a field stands, then it is read from there', () => {
    const mapped = createReading({ route: ROUTE, mappings: { ProductTransferCreated: { transferId: 'Sent' } } })
    expect(mapped(webhook('ProductTransferCreated', { Sent: 'T-2' })).entity).toBe('transfer:T-2')
  })

  test('When flows understand an event, then it says what it proves, and whether there is nothing to do', () => {
    const proving = (facts: string[], quiet: boolean) =>
      createReading({ route: ROUTE, proofs: () => ({ facts, quiet }) })(webhook('SaleCreated', sale()))
    expect(proving(['paid'], true)).toMatchObject({ proves: ['paid'], quiet: true })
    expect(proving(['paid'], false)).not.toHaveProperty('quiet')
    expect(proving([], false)).not.toHaveProperty('proves')
    const flow = (proves: string[], steps: number, kinds: Flow['kinds'] = ['SaleCreated']): Flow => {
      return { ...publish, kinds, proves: () => proves, plan: () => Array(steps).fill({ part: '', entity: null }) }
    }
    const proofs = (...flows: Flow[]) => createProofs(flows)({ kind: 'SaleCreated' } as never)
    expect(proofs(flow(['paid'], 0), flow(['sent'], 0))).toEqual({ facts: ['paid', 'sent'], quiet: true })
    expect(proofs(flow(['paid'], 0), flow([], 1))).toEqual({ facts: ['paid'], quiet: false })
    expect(proofs(flow([], 0), flow(['x'], 0, 'all'), flow(['x'], 0, ['OrderUpdate']))).toEqual({
      facts: [],
      quiet: false,
    })
  })
})

describe('what cannot be read', () => {
  const read = createReading({ route: ROUTE, limits: LIMITS })
  const NOTHING = { identity: null, versioned: false, exact: false, entity: null, facts: null, deliveries: [] }

  test('When its bytes could not be decoded, then that is its problem, and nobody acts on it', () => {
    const bad = webhook('SaleCreated', sale(), { unreadable: 'the gzip is broken' })
    expect(read(bad)).toMatchObject({ ...NOTHING, problem: 'the gzip is broken', body: bad.body })
  })

  test('When it is no JSON, then the place is told, and nothing of the text', () => {
    const bytes = (body: Buffer) => read({ ...webhook('SaleCreated', {}), body })
    expect(bytes(Buffer.from('{"a":1,"b":1,]')).problem).toBe('not JSON: broken at position 13')
    expect(bytes(Buffer.from('')).problem).toBe('not JSON: broken')
    expect(bytes(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ ...NOTHING, problem: 'not JSON: not UTF-8' })
  })

  test('When it is beyond a limit, then the limit is told; what the hub wrote itself has none', () => {
    expect(read(webhook('BrandNew', DEEP))).toMatchObject({
      ...NOTHING,
      problem: 'not read: it is nested deeper than 2 levels (server.limits)',
    })
    expect(read(webhook('BrandNew', { a: 'x'.repeat(20_000) })).problem).toBeNull()
    const own = { submission: { resource: 'levels', key: 'K', line: 1 } }
    expect(read(webhook('StockLevelRead', DEEP, own)).problem).not.toContain('not read')
    expect(createReading({ route: ROUTE })(webhook('BrandNew', DEEP)).problem).toBeNull()
  })

  test('When it does not say what tells it apart, then that is named', () => {
    expect(read(webhook('SaleCreated', { total: 1 }))).toMatchObject({
      ...NOTHING,
      // As it came, and nothing else.
      deliveries: [{ destination: 'bus', flow: 'publish', part: '', entity: null }],
      problem: expect.stringMatching(/^no identity: SaleCreated is distinguished by ./),
    })
  })

  test('When reading was given up, then it is kept with its hash, and why', () => {
    const incoming = webhook('SaleCreated', sale())
    expect(read({ ...incoming, unreadable: 'not read: it took too long' })).toEqual({
      kind: 'SaleCreated',
      origin: 'platform',
      subscription: incoming.subscription,
      receivedAt: incoming.receivedAt,
      headers: {},
      body: incoming.body,
      transportKey: null,
      bodyHash: read(incoming).bodyHash,
      ...NOTHING,
      problem: 'not read: it took too long',
    })
  })
})

test('When a flow fails on what the platform sends, then it is kept and acted on by nobody, and no value of it is told; an own system hears of it', () => {
  const fails = () => {
    throw new PermanentError('not a datetime: "Kari"', { code: 'not-a-datetime' })
  }
  const read = createReading({ route: fails })
  const problem = 'not acted on: it could not be planned (not-a-datetime)'
  expect(read(webhook('SaleCreated', sale()))).toMatchObject({ problem, deliveries: [], identity: null })
  expect(() => read(pulled('StockChanged', { gtin: '1' }, { intake: true }))).toThrow('Kari')
})

/*
 * Whatever stands in one field of a payload, the event is taken: what a flow cannot read of it is for the attempt to say. A webhook that is
 * answered 500 is lost, since the platform sends none again by itself.
 */

/** Values that somebody may write into any field. The last ones are days that there are not, or the first and last of some systems. */
const ODD: readonly unknown[] = [
  ...[undefined, null, '', ' ', 'n/a', '1,5', '1e3', '-', true, -1, 0, 1.00005, 1e21, [], [null], [1], {}, { a: {} }],
  ...['0000-00-00T00:00:00', '0001-01-01T00:00:00', '2026-02-30T10:00:00', '9999-12-31T23:59:59.9999999', '\ud800'],
]

const ALL = booksTo('all', {
  abilities: flows.flatMap(({ port, method }) => [port, `${port}.${method}`]),
  publish: 'all',
  messages: ['ready', 'collected', 'declined', 'expired'],
  channels: { web: { stocks: ['12'], safetyStock: '0' as never } },
  daily: { flows: flows.map(({ name }) => name), closes: '03:00' },
})

const STORES = createStoreIndex([
  { storeId: '42', number: '101', stockId: '12', countryCode: 'NO', zone: 'Europe/Oslo' },
])

const read = createReading({ route: createRoute(flows, [ALL], () => STORES), proofs: createProofs(flows) })

for (const { kind, payload } of NAMED.flatMap(({ kinds, payload }) => kinds.map((kind) => ({ kind, payload }))))
  test(`When any one field of a ${kind} has an odd value, then the event is taken`, () => {
    const failed = new Map<string, string>()
    for (const path of pathsIn(payload))
      for (const odd of ODD)
        try {
          const other = structuredClone(payload)
          put(other, path, odd)
          const { problem } = read(pulled(kind, other, { origin: 'platform' }))
          if (problem?.startsWith('not acted on')) failed.set(`${path.join('.')} ${JSON.stringify(odd)}`, problem)
        } catch (error) {
          failed.set(`${path.join('.')} ${JSON.stringify(odd)}`, String(error))
        }
    expect(Object.fromEntries(failed)).toEqual({})
  })

/** The place of each value, of lists the first row's. */
function pathsIn(value: unknown): string[][] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => [[name], ...pathsIn(inner).map((path) => [name, ...path])])
}

function put(value: unknown, path: readonly string[], odd: unknown): void {
  const [last = '', ...outer] = path.toReversed()
  const place = outer.toReversed().reduce((at, name) => (at as Record<string, unknown>)[name], value)
  ;(place as Record<string, unknown>)[last] = odd
}
