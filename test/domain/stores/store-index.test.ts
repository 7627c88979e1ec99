import { describe, expect, test } from 'vitest'
import {
  createStoreIndex,
  likelyStoresOfRow,
  posNames,
  stocksDuring,
  storesOfRow,
} from '../../../src/domain/stores/store-index.ts'
import { storeRefOf } from '../../../src/platform/payloads/kinds.ts'
import {
  customer,
  delivery,
  endlessAisle,
  orderUpdate,
  otherCase,
  pulledSettlement,
  receipt,
  refundUpdate,
  sale,
  settlement,
  stockMovement,
  store,
} from '../../fixtures/payloads.ts'

const directory = createStoreIndex([
  record('42', '101', '12', 'NO'),
  record('43', '102', '13', 'NO'),
  record('44', '103', '13', 'NO'),
  record('45', '201', '20', 'SE'),
  record('46', '301', '20', 'DK'),
  record('47', null, '30', 'FI'),
  record('48', '999', '31', 'NO'),
  record('49', '999', '32', 'SE'),
])

describe('what a payload says about its store', () => {
  test.each([
    ['SaleCreated', sale(), { number: '101', countryCode: 'NO' }],
    ['SaleExternalCreated', sale(), { number: '101', countryCode: 'NO' }],
    ['OmniChannelEndlessAisleOrderCreated', endlessAisle(), { number: '101', countryCode: 'NO', stockId: null }],
    ['OmniChannelSendReceiptCreated', receipt(), { number: '101', countryCode: 'NO' }],
    ['StockMovementCreated', stockMovement(), { stockId: '12', stockNumber: '101', number: null }],
    ['DeliveryUpdated', delivery(), { stockId: '12', stockNumber: '101' }],
    ['OmniChannelOrderUpdated', orderUpdate(), { stockId: '12' }],
    ['OmniChannelOrderRefundUpdated', refundUpdate(), { stockId: '12' }],
    ['POSSettlementCreated', settlement(), { number: '101' }],
    ['POSSettlementCreated', pulledSettlement(), { number: '101' }],
    ['CustomerUpdated', customer(), { storeId: '42', countryCode: null }],
    ['StockReservationCreated', { stockId: 12 }, { stockId: '12' }],
    ['ProductTransferCreated', { fromStockId: 12, toStockId: 20 }, { stockId: '12', stockNumber: null }],
    ['ProductTransferVirtualCreated', { fromStockExtId: '101', toStockId: 20 }, { stockId: null, stockNumber: '101' }],
    ['ProductTransferReceived', { fromStockId: 20, toStockId: 12 }, { stockId: '12', stockNumber: null }],
    ['ProductTransferVirtualReceived', { fromStockId: 20, toStockExtId: '101' }, { stockNumber: '101' }],
  ])('when it is a %s, then its store is read, in any case of the names', (kind, payload, expected) => {
    expect(storeRefOf(kind, payload)).toMatchObject(expected)
    expect(storeRefOf(kind, otherCase(payload))).toEqual(storeRefOf(kind, payload))
    expect(directory.find(storeRefOf(kind, payload))).toMatchObject({ number: '101', countryCode: 'NO' })
  })

  test.each([
    ['SaleCreated', null],
    ['SaleCreated', { store: 'Oslo' }],
    ['SaleCreated', sale({ store: store({ storeExtId: '', address: null }) })],
    ['OmniChannelOrderUpdated', { order: [] }],
    ['ProductTransferReceived', { fromStockId: 12 }],
    ['CustomerUpdated', { countryCode: 'NO' }],
    ['Unknown', 'text'],
  ])('when a %s does not say (%j), then nothing is made up', (kind, payload) => {
    expect(directory.find(storeRefOf(kind, payload))).toBeNull()
  })
})

describe('which store is meant', () => {
  test('when the records do not know the number, then the number and the country of the payload count', () => {
    expect(directory.find(ref({ number: '777', countryCode: 'SE' }))).toMatchObject({
      number: '777',
      countryCode: 'SE',
    })
    expect(createStoreIndex([]).find(ref({ number: '101' }))).toMatchObject({ number: '101', countryCode: null })
  })

  test('when payload and record differ on the country, then the record is right', () => {
    expect(directory.find(ref({ number: '101', countryCode: 'SE' }))).toMatchObject({
      number: '101',
      countryCode: 'NO',
    })
  })

  test('when the payload has no number but a country, then the country counts', () => {
    expect(directory.find(ref({ countryCode: 'NO' }))).toMatchObject({ number: null, countryCode: 'NO' })
  })

  test('when stores share a stock, then they are told by country if all agree, else not at all', () => {
    expect(directory.find(ref({ stockId: '13' }))).toMatchObject({ number: null, countryCode: 'NO' })
    expect(directory.find(ref({ stockId: '20' }))).toBeNull()
  })

  test('when a store has no number, then its country counts', () => {
    expect(directory.find(ref({ stockId: '30' }))).toMatchObject({ number: null, countryCode: 'FI' })
  })

  test('when countries number their stores alike, then the country tells which is meant; one where none is, tells nothing', () => {
    expect(directory.find(ref({ number: '999', countryCode: 'NO' }))).toMatchObject({
      storeId: '48',
      countryCode: 'NO',
    })
    expect(directory.find(ref({ number: '999', countryCode: 'SE' }))).toMatchObject({
      storeId: '49',
      countryCode: 'SE',
    })
    expect(directory.find(ref({ number: '999', countryCode: 'DK' }))).toMatchObject({
      storeId: null,
      countryCode: 'DK',
    })
  })

  test('when the stock is unknown, then its own id stands in, if it is the number of a store', () => {
    expect(directory.find(ref({ stockId: '90', stockNumber: '102' }))).toMatchObject({
      number: '102',
      countryCode: 'NO',
    })
    expect(directory.find(ref({ stockId: '13', stockNumber: '101' }))).toMatchObject({
      number: null,
      countryCode: 'NO',
    })
    expect(directory.find(ref({ stockId: '90', stockNumber: '90' }))).toBeNull()
  })

  test('when the country of a number is asked, then it is told, unless nobody knows or records differ', () => {
    expect(['101', ' 101', '201', '999', '777'].map(directory.countryOf)).toEqual(['NO', 'NO', 'SE', null, null])
  })
})

function record(storeId: string, number: string | null, stockId: string, countryCode: string) {
  return { storeId, number, stockId, countryCode }
}

function ref(given: object) {
  return { number: null, storeId: null, stockId: null, stockNumber: null, countryCode: null, ...given }
}

const DAY = 86_400_000
const NOW = Date.parse('2026-11-20T00:00:00Z')
const dayBefore = (days: number) => ({ from: NOW - days * DAY, to: NOW - (days - 1) * DAY })

const OSLO = { storeId: '42', number: '301', stockId: '19' }
const BERGEN = { storeId: '43', number: '101', stockId: '13' }
const FORMER = [
  { storeId: '42', number: null, stockId: '12', until: NOW - 30 * DAY },
  { storeId: '42', number: '101', stockId: '12', until: NOW - 10 * DAY },
]

describe('what a store was called', () => {
  test('when it never had another name, then it is what it is called today, whenever that was', () => {
    expect(stocksDuring(BERGEN, FORMER, dayBefore(900))).toEqual(['13'])
    expect(posNames(BERGEN, FORMER)).toEqual(['101', '43'])
  })

  test.each([
    [40, ['12']],
    [20, ['12']],
    [5, ['19']],
    // The hub read the new one ten days ago; the platform had it since the day before, perhaps.
    [12, ['12', '19']],
    [13, ['12']],
    [11, ['12', '19']],
    [10, ['19']],
  ])('when a day is asked for that was %i days ago, then its stock was %j', (days, stockIds) => {
    expect(stocksDuring(OSLO, FORMER, dayBefore(days))).toEqual(stockIds)
  })

  test('when its records are looked for, then by each number that it has had, and by its id', () => {
    expect(posNames(OSLO, FORMER)).toEqual(['101', '301', '42'])
  })

  test('when a row is kept by a number, then it is of a store that had it on its day', () => {
    const storesOf = storesOfRow(
      [OSLO, { ...BERGEN, stockId: '14' }, { ...BERGEN, storeId: '44' }],
      [
        ...FORMER,
        { storeId: '43', number: '77', stockId: '13', until: NOW - 8 * DAY },
        { storeId: '44', number: '301', stockId: '13', until: NOW - 8 * DAY },
      ],
    )
    const row = { place: '101', day: '2026-11-01', body: {} }
    expect(storesOf(row)).toEqual(['42'])
    expect(storesOf({ ...row, day: '2026-11-15' })).toEqual(['43', '44'])
    expect(storesOf({ ...row, place: '77' })).toEqual(['43'])
    expect(storesOf({ ...row, place: '301', day: '2026-11-15' })).toEqual(['42'])
    expect(storesOf({ ...row, place: '301', day: '2026-11-10' })).toEqual(['42', '44'])
    // A POS that was offline sends what it sold under its old number.
    expect(storesOf({ ...row, place: '77', day: '2026-11-19' })).toEqual(['43'])
    expect(storesOf({ ...row, body: { storeId: '43' } })).toEqual(['43'])
    expect(storesOf({ ...row, place: '999', body: { storeId: null } })).toEqual([])
    expect(storesOf({ ...row, day: '2026-10-01', place: null })).toEqual([])
  })

  test('when several may be meant, then it is of the one that the hub knew by that number at its moment, on the clock of the store', () => {
    const zone = 'Europe/Oslo'
    const until = Date.parse('2026-11-10T00:30:00Z')
    const storesOf = likelyStoresOfRow(
      [
        { ...OSLO, zone },
        { ...BERGEN, zone },
      ],
      [
        { storeId: '42', number: '101', stockId: '12', until },
        { storeId: '43', number: '77', stockId: '13', until },
      ],
    )
    const row = (day: string, body: object) => ({ place: '101', day, body: { ...body } })
    expect(storesOf(row('2026-11-09', { soldAt: '2026-11-09T14:00:00' }))).toEqual(['42'])
    expect(storesOf(row('2026-11-10', { soldAt: '2026-11-10T01:29:00' }))).toEqual(['42'])
    expect(storesOf(row('2026-11-10', { settledAt: '2026-11-10T01:31:00' }))).toEqual(['43'])
    expect(storesOf(row('2026-11-12', { soldAt: '2026-11-12T14:00:00' }))).toEqual(['43'])
    expect(storesOf(row('2026-11-10', {}))).toEqual(['42', '43'])
  })
})
