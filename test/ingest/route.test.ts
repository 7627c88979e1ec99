import { describe, expect, test } from 'vitest'
import { writerConfigIssues } from '../../src/app/config-checks.ts'
import type { StockDifference } from '../../src/domain/catalogue/finding.ts'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import { UserError } from '../../src/domain/values/errors.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { publish } from '../../src/flows/publish.ts'
import { createInbox } from '../../src/ingest/accept.ts'
import { createCorrections } from '../../src/ingest/corrections.ts'
import { createReader, createReading } from '../../src/ingest/parse.ts'
import { reroute } from '../../src/ingest/reroute.ts'
import { createRoute, createWanted, routeConfigIssues } from '../../src/ingest/route.ts'
import { stockMovement } from '../fixtures/payloads.ts'
import { busTo, startTestHub } from '../hub.ts'
import { pulled, routableTo as to } from './inbox-of.ts'
import { booksTo } from './kept-events.ts'

const shipments: Flow = {
  ...publish,
  name: 'shipments',
  kinds: ['OmniChannelOrderUpdated'],
  urgency: 'bulk',
  latestWins: true,
  plan: ({ entity }) => [
    { part: 'shipment-1', entity, notBefore: 5, batch: 'b', digest: 'd', force: true },
    { part: 'shipment-2', entity: null },
  ],
}
const orders: Flow = { ...publish, name: 'orders', kinds: ['SaleCreated'], atMostOnce: true }
const never: Flow = { ...publish, name: 'never', kinds: ['SaleCreated'], plan: () => [] }

describe('what an event owes', () => {
  test('when a flow has several steps, then each destination gets each of them, with all they need', () => {
    const route = createRoute([shipments], [to('a'), to('b')])

    const pending = route(event({ kind: 'OmniChannelOrderUpdated', entity: 'order:A1' }))

    const sent = { latestWins: true, digest: 'd', force: true }
    const first = {
      flow: 'shipments',
      urgency: 'bulk',
      once: false,
      part: 'shipment-1',
      notBefore: 5,
      batch: 'b',
      ...sent,
    }
    const second = {
      ...first,
      part: 'shipment-2',
      notBefore: null,
      batch: null,
      entity: null,
      digest: null,
      force: false,
    }
    expect(pending).toEqual([
      { ...first, entity: 'order:A1', destination: 'a' },
      { ...first, entity: 'order:A1', destination: 'b' },
      { ...second, destination: 'a' },
      { ...second, destination: 'b' },
    ])
  })

  test('when a destination asks for some kinds, then it gets the raw events of those only', () => {
    const route = createRoute([publish], [to('a', { publish: ['SaleCreated'] }), to('b'), to('c', { publish: [] })])

    expect(route(event({ kind: 'SaleCreated' })).map(({ destination }) => destination)).toEqual(['a', 'b'])
    expect(route(event({ kind: 'CustomerUpdated' })).map(({ destination }) => destination)).toEqual(['b'])
  })

  test('when an own system submits, then that is sent on raw only to those that ask for it by name', () => {
    const route = createRoute([publish], [to('all'), to('named', { publish: ['ProductSubmitted'] })])

    expect(route(event({ kind: 'ProductSubmitted' })).map(({ destination }) => destination)).toEqual(['named'])
  })

  test('when a flow plans nothing, its kind is another, or it is skipped, then nothing is owed', () => {
    const route = createRoute([never, shipments, orders], [to('a', { skip: ['orders'] })])

    expect(route(event({ kind: 'SaleCreated' }))).toEqual([])
  })

  test('when a destination lacks the port, then it is left out', () => {
    const route = createRoute([orders], [to('a', { abilities: [] })])

    expect(route(event({ kind: 'SaleCreated' }))).toEqual([])
  })

  test('when an event comes from a destination, then it does not go back there', () => {
    const route = createRoute([publish], [to('erp'), to('bus')])

    expect(route(event({ origin: 'erp' })).map(({ destination }) => destination)).toEqual(['bus'])
  })

  test('when a destination takes many records in one call, then what its books are told waits for the others of its flow', () => {
    const books: Flow = { ...publish, name: 'books', port: 'backOffice' }
    const both = { abilities: ['publish', 'backOffice'], gathers: true } as const
    const route = createRoute([books, publish], [to('erp', both)])

    const batches = route(event({})).map(({ flow, batch }) => [flow, batch])
    expect(batches).toEqual([
      ['books', 'books'],
      ['publish', null],
    ])
  })

  test('when one asks by the kind alone, then it is wanted where a flow takes it and a destination executes that', () => {
    const wanted = createWanted([orders, publish], [to('a', { publish: ['SaleCreated'], skip: ['orders'] })])
    expect(['SaleCreated', 'CustomerUpdated'].map(wanted)).toEqual([true, false])
    expect(createWanted([orders], [to('a', { skip: ['orders'] })])('SaleCreated')).toBe(false)
    expect(createWanted([orders], [to('a')])('CustomerUpdated')).toBe(false)
  })
})

describe('how a flow chooses', () => {
  test('when it asks for a method of the port, or a message, then only those get it that have both', () => {
    const send: Flow = { ...publish, name: 'send', port: 'email', method: 'mail', message: 'ready' }
    const wanting = (abilities: string[], messages: string[]) =>
      createRoute([send], [to('a', { abilities, messages })])(event({})).length
    expect(wanting(['email.mail'], ['ready'])).toBe(1)
    expect(wanting(['email'], ['ready'])).toBe(0)
    expect(wanting(['email.mail'], ['sent'])).toBe(0)
    expect(wanting(['email.mail'], [])).toBe(0)
    const { message: _, ...silent } = send
    expect(createRoute([silent], [to('a', { abilities: ['email.mail'] })])(event({}))).toHaveLength(1)
  })

  test('when its steps are for the origin, too, then that gets them', () => {
    const back: Flow = { ...publish, name: 'back', toOrigin: true }
    expect(createRoute([back], [to('erp')])(event({ origin: 'erp' }))).toHaveLength(1)
  })

  test('when its steps differ by where each sells from, then each gets its own', () => {
    const levels: Flow = {
      ...publish,
      name: 'levels',
      byChannel: true,
      plan: (_, channels = {}) => Object.keys(channels).map((part) => ({ part, entity: null })),
    }
    const channel = { stocks: ['1'], safetyStock: parseDecimal('0') }
    const route = createRoute(
      [levels],
      [to('a', { channels: { web: channel, shop: channel } }), to('b', { channels: { app: channel } })],
    )
    expect(route(event({})).map(({ destination, part }) => [destination, part])).toEqual([
      ['a', 'web'],
      ['a', 'shop'],
      ['b', 'app'],
    ])
    // Others are planned once for all, without channels.
    const planned: unknown[] = []
    const plain: Flow = {
      ...publish,
      plan: (...given) => {
        planned.push(given.length)
        return [{ part: '', entity: null }]
      },
    }
    createRoute([plain], [to('a'), to('b')])(event({}))
    expect(planned).toEqual([1])
  })

  test('when a step says more, then the delivery says it, too: what it brings about, and what overtakes it', () => {
    const step = { part: '', entity: 'e', effect: 'paid', keyByNumber: 'n', unless: ['x'], subject: 's', version: 3 }
    const route = createRoute([{ ...publish, plan: () => [step] }], [to('a')])
    expect(route(event({}))).toMatchObject([step])
  })
})

describe('what config may not say', () => {
  test('when several once flows meet, then they are named together; what happens once to each may go to several', () => {
    const more: Flow = { ...orders, name: 'more' }
    const each: Flow = { ...orders, name: 'each', perDestination: true }
    const found = routeConfigIssues([orders, more, each, publish], [to('a'), to('b'), to('c')])
    expect(found.map(({ path }) => path[1])).toEqual(['b', 'c', 'c'])
    expect(found[0]?.found).toBe('a second destination, besides a, for what must happen once (orders, more)')
    expect(found[2]?.found).toContain('besides b')
    expect(routeConfigIssues([each, publish], [to('a'), to('b')])).toEqual([])
  })

  test('when a skipped flow does not exist, then it is named, with those that do', () => {
    const daily = { flows: ['order'], closes: '04:00' }
    const expected = 'a flow: one of publish, orders; did you mean "orders"?'
    expect(routeConfigIssues([publish, orders], [to('bus', { skip: ['order'], daily })])).toEqual([
      { path: ['destinations', 'bus', 'skip', 0], expected },
      { path: ['destinations', 'bus', 'daily', 'flows', 0], expected },
    ])
  })

  test('when two destinations would execute a once flow, then it is refused, with all three names', () => {
    const both = [to('shop'), to('other'), to('bare', { abilities: [] })]
    expect(routeConfigIssues([orders], both)).toEqual([
      {
        path: ['destinations', 'other'],
        found: 'a second destination, besides shop, for what must happen once (orders)',
        expected:
          'skip: [orders] at one of them, or stores: lists that do not meet at both; one that only watches takes events with publish',
      },
    ])
    expect(routeConfigIssues([orders], [to('shop'), to('other', { skip: ['orders'] })])).toEqual([])
  })
})

function event(given: { kind?: string; origin?: string; entity?: string }) {
  return { kind: 'SaleCreated', origin: 'platform', identity: null, entity: null, payload: {}, receivedAt: 0, ...given }
}

test('when two destinations would each execute a flow that must happen once, then the hub does not start', async () => {
  const destinations = { shop: busTo('http://127.0.0.1:9/a'), other: busTo('http://127.0.0.1:9/b') }

  await expect(startTestHub({ flows: [publish, orders], destinations })).rejects.toThrow(UserError)
  const skipping = { bus: busTo('http://127.0.0.1:9', { skip: ['x'] }) }
  await expect(startTestHub({ flows: [publish], destinations: skipping })).rejects.toThrow(
    'destinations.bus.skip.0: expected a flow: one of publish',
  )
})

test('when the stores become known later, then the event that was unrouted goes out by a reroute', async () => {
  await using hub = await startTestHub()
  let known = createStoreIndex([])
  const route = createRoute(
    [publish],
    [booksTo('oslo', { abilities: ['publish'], publish: 'all', stores: ['101'] })],
    () => known,
  )
  const inbox = createInbox(hub.hub.storage, createReader(createReading({ route })))
  const movement = stockMovement({ stockExtId: null })

  expect(await inbox.accept(pulled('StockMovementCreated', movement))).toMatchObject({ unrouted: true })
  known = createStoreIndex([{ storeId: '42', number: '101', stockId: '12', countryCode: 'NO' }])

  expect(await reroute(hub.hub.storage, route, {}, { act: 1 })).toMatchObject({ events: 1, deliveries: 1 })
  const next = stockMovement({ stockExtId: null, movementId: 2 })
  expect(await inbox.accept(pulled('StockMovementCreated', next))).toMatchObject({ unrouted: false })
})

describe('stock that is put right', () => {
  const difference: StockDifference = {
    run: '2026-11-20',
    of: { stockId: '12' },
    gtin: '590',
    sku: 'TEE',
    right: parseDecimal('4'),
    found: parseDecimal('3'),
    cause: 'unknown',
    detail: null,
    readAt: 5,
    state: 'proposed',
    approved: null,
  }
  const approved = { by: 'kari', reason: null }

  async function corrected(differences: StockDifference[], stock: object | null = { gtin: '590', version: 1 }) {
    const said: unknown[] = []
    const correct = createCorrections({
      storage: { saveFindings: async (findings) => void said.push(findings), now: () => 9 },
      inbox: { announce: async (...given) => void said.push(given) },
      stockOf: async () => stock as never,
    })
    await correct(differences, approved)
    return said
  }

  const noted = (says: StockDifference) => [
    { type: 'keep', finding: { sort: 'stock-difference', says: { ...says, state: 'corrected', approved } } },
  ]

  test('When the mirror differs, then it takes the level that was read, and it is noted who approved it', async () => {
    const level = { stockId: '12', gtin: '590', sku: 'TEE', level: difference.right, readAt: 5 }
    expect(await corrected([difference])).toEqual([['StockLevelRead', 'platform', level, 9], noted(difference)])
  })

  test('When a shop differs, then its place is told what there is now; one that never had the article is told nothing', async () => {
    const shop: StockDifference = { ...difference, of: { destination: 'shop', location: 'web' } }
    expect(await corrected([shop])).toEqual([
      ['StockChanged', 'mirror', { gtin: '590', version: 1, again: 'web' }, 9],
      noted(shop),
    ])
    expect(await corrected([shop], null)).toEqual([noted(shop)])
  })
})

test('When a destination is told the levels of a stock that it writes itself, then that is named, with what to write', () => {
  const channel = (...stocks: string[]) => ({ stocks, safetyStock: parseDecimal('0') })
  const destinations = [
    { name: 'erp', channels: { web: channel('12', '13'), store: channel('14') } },
    { name: 'shop', channels: { web: channel('12') } },
  ]
  expect(writerConfigIssues({ 12: 'erp', 14: 'other' }, destinations)).toEqual([
    {
      path: ['platform', 'stockWriters', '12'],
      found: 'a second writer of stock 12: erp is sent its levels as well (web)',
      expected: 'one writer: take the stock out here, or out of destinations.erp',
    },
  ])
  expect(writerConfigIssues({}, destinations)).toEqual([])
})
