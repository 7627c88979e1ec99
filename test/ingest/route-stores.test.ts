import { describe, expect, test } from 'vitest'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { publish } from '../../src/flows/publish.ts'
import { createRoute, holds, readStoreList, routeConfigIssues } from '../../src/ingest/route.ts'
import { orderUpdate, sale, stockMovement, store } from '../fixtures/payloads.ts'
import { routableTo } from './inbox-of.ts'

const directory = createStoreIndex([
  { storeId: '42', number: '101', stockId: '12', countryCode: 'NO' },
  { storeId: '43', number: '102', stockId: '13', countryCode: 'NO' },
  { storeId: '45', number: '201', stockId: '20', countryCode: 'SE' },
])
const orders: Flow = { ...publish, name: 'orders', kinds: ['SaleCreated'], atMostOnce: true }

describe('a list of stores', () => {
  const held = (entries: string[], number: string | null, countryCode: string | null) =>
    holds(readStoreList(entries), { number, countryCode })

  test('when it is read, then two letters are a country, whatever their case, and all else is a number, but for blanks and case', () => {
    const { numbers, countries } = readStoreList([' no', 'SE ', ' A1 ', '101', 'ABC', 'A'])
    expect([...numbers].sort()).toEqual(['101', 'a', 'a1', 'abc'])
    expect([...countries].sort()).toEqual(['NO', 'SE'])
  })

  test('when a store has the number or is in the country, then the list holds it; what nobody knows of it counts as neither', () => {
    expect([held(['A1'], 'a1', null), held(['NO'], '101', 'NO'), held(['NO'], null, 'NO')]).toEqual([true, true, true])
    expect([held(['A1'], null, 'NO'), held(['NO'], '101', null), held(['A1', 'NO'], '7', 'SE')]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('who gets an event of a store', () => {
  const route = createRoute(
    [publish],
    [to('oslo', ['101']), to('norway', ['no']), to('sweden', ['SE', ' 555 ']), to('all', null)],
    () => directory,
  )
  const of = (kind: string, payload: unknown) => route(event(kind, payload)).map(({ destination }) => destination)

  test('when the store is in a list, by number or by country, then that destination gets it, and those without a list', () => {
    expect(of('SaleCreated', sale())).toEqual(['oslo', 'norway', 'all'])
    expect(of('SaleCreated', sale({ store: store({ storeExtId: '102' }) }))).toEqual(['norway', 'all'])
    expect(of('SaleCreated', sale({ store: store({ storeExtId: '555', address: null }) }))).toEqual(['sweden', 'all'])
  })

  test('when only its stock is named, then the store is looked up', () => {
    expect(of('StockMovementCreated', stockMovement({ stockId: 20 }))).toEqual(['sweden', 'all'])
    expect(of('OmniChannelOrderUpdated', orderUpdate())).toEqual(['oslo', 'norway', 'all'])
  })

  test('when the store cannot be told, then only those without a list get it', () => {
    expect(of('StockMovementCreated', stockMovement({ stockId: 99, stockExtId: null }))).toEqual(['all'])
    expect(of('BrandNewKind', {})).toEqual(['all'])
  })

  test('when no destination has a list, then no payload is looked into, and no record', () => {
    const plain = createRoute([publish], [to('all', null)], () => createStoreIndex([]))
    const untouchable = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail })

    expect(plain(event('SaleCreated', untouchable))).toHaveLength(1)
  })
})

describe('a flow that must happen once', () => {
  test.each([
    ['two countries', ['NO'], ['SE', 'DK']],
    ['two numbers', ['101'], ['102']],
  ])('when the lists do not meet (%s), then it starts, and each event goes to one', (_, first, second) => {
    expect(routeConfigIssues([orders], [to('a', first), to('b', second)])).toEqual([])
    const route = createRoute([orders], [to('a', first), to('b', second)], () => directory)

    for (const number of ['101', '102', '201', '555'])
      for (const countryCode of ['NO', 'SE', 'DK', '']) {
        const payload = sale({ store: store({ storeExtId: number, address: { countryCode } }) })
        expect(route(event('SaleCreated', payload)).length).toBeLessThanOrEqual(1)
      }
  })

  test.each([
    ['they share a number', ['101', '102'], ['102'], '102 is in both'],
    ['they share a number but for blanks and case', ['A1'], [' a1'], 'a1 is in both'],
    ['they share countries', ['NO', 'SE'], ['se', 'NO'], 'NO, SE are in both'],
    ['one has numbers, the other countries', ['555'], ['NO'], 'a store of the one may be in a country of the other'],
  ])('when lists can meet (%s), then it is refused, with names, why, and what to write', (_, first, second, why) => {
    expect(routeConfigIssues([orders], [to('a', first), to('b', second)])).toEqual([
      {
        path: ['destinations', 'b', 'stores'],
        found: `stores that meet those of a (${why}), for what must happen once (orders)`,
        expected: 'countries only, or store numbers only, at both, and none in both; or skip: [orders] at one of them',
      },
    ])
  })

  test('when one of several has no list, then it is refused; a single one needs none', () => {
    expect(routeConfigIssues([orders], [to('a', ['NO']), to('b', null)])).toMatchObject([
      { path: ['destinations', 'b'], found: expect.stringContaining('besides a') },
    ])
    expect(routeConfigIssues([orders], [to('a', null)])).toEqual([])
  })

  test('when the third of three meets the first, then those two are named', () => {
    expect(routeConfigIssues([orders], [to('a', ['NO']), to('b', ['SE']), to('c', ['NO'])])).toMatchObject([
      { path: ['destinations', 'c', 'stores'], found: expect.stringContaining('those of a (NO is in both)') },
    ])
  })
})

function to(name: string, stores: readonly string[] | null) {
  return routableTo(name, { stores })
}

function event(kind: string, payload: unknown) {
  return { kind, origin: 'platform', identity: null, entity: null, payload, receivedAt: 0 }
}

function fail(): never {
  throw new Error('The payload was looked into.')
}
