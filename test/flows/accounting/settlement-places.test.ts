import { expect, test } from 'vitest'
import { fileName } from '../../../packages/tillbridge-adapter-files/src/files.ts'
import type { Bookings } from '../../../src/domain/accounting/bookings.ts'
import { createStoreIndex, resolveStore } from '../../../src/domain/stores/store-index.ts'
import { bookSettlement } from '../../../src/flows/back-office.ts'
import { type CallContext, EMPTY_CONTEXT } from '../../../src/flows/flow.ts'
import { mirrorFacts } from '../../../src/flows/mirror.ts'
import { dailyBatch } from '../../../src/ingest/route.ts'

const KIND = 'POSSettlementCreated'

const PLACES = createStoreIndex([
  { storeId: '1012', number: '7', stockId: '3011', countryCode: 'NO', zone: 'Europe/Oslo' },
  { storeId: '1013', number: '8', stockId: '3012', countryCode: 'NO', zone: 'Europe/Oslo' },
  { storeId: '2012', number: '8', stockId: '4011', countryCode: 'SE', zone: 'Europe/Stockholm' },
  { storeId: '2013', number: null, stockId: '4012', countryCode: 'SE', zone: 'Europe/Stockholm' },
])

/** As the public API shows a settlement of version 2: the store by its id alone, times with Z. */
function version2(storeId: number, more: object = {}): object {
  return {
    settlementId: 8150,
    batchNumber: 17,
    storeId,
    storeExtId: null,
    posId: 3,
    settlementTimeStamp: '2026-01-05T18:15:11.123Z',
    dateTimeFrom: null,
    dateTimeTo: null,
    currency: 'NOK',
    grandTotal: 10.5,
    paymentTypes: [{ paymentTypeId: 1, type: 'Card', subType: null, amount: 10.5 }],
    ...more,
  }
}

function booked(payload: object): Bookings['bookSettlement'] {
  const event = eventOf(payload)
  const call = bookSettlement.call(event, { part: '' }, known())
  return call?.argument as Bookings['bookSettlement']
}

for (const [storeId, place, file] of [
  [1012, { storeNo: '7', storeId: '1012', country: 'NO', storeKey: '7' }, 'settlement-7-2026-01-05'],
  [1013, { storeNo: '8', storeId: '1013', country: 'NO', storeKey: 'NO-8' }, 'settlement-NO-8-2026-01-05'],
  [2012, { storeNo: '8', storeId: '2012', country: 'SE', storeKey: 'SE-8' }, 'settlement-SE-8-2026-01-05'],
  [2013, { storeNo: null, storeId: '2013', country: 'SE', storeKey: 'id-2013' }, 'settlement-id-2013-2026-01-05'],
  [9999, { storeNo: null, storeId: '9999', country: null, storeKey: 'id-9999' }, 'settlement-id-9999-2026-01-05'],
] as const)
  test(`When a settlement names its store by the id ${storeId} alone, then it is booked where that is, in a file of its own`, () => {
    const booking = booked(version2(storeId))

    expect(booking).toMatchObject(place)
    expect(fileName('{kind}-{place}-{day}', { ...booking, kind: 'settlement', key: 'K' })).toBe(file)
  })

test('When stores of two countries are gathered by the day, then none is with another', () => {
  const together = [1012, 1013, 2012, 2013, 9999].map((storeId) => {
    const planned = { ...eventOf(version2(storeId)), payload: version2(storeId) }
    const [step] = bookSettlement.plan(planned)
    return dailyBatch(planned, step?.at ?? '', { flows: [bookSettlement.name], closes: '03:00' }, PLACES).batch
  })

  expect(new Set(together).size).toBe(5)
})

for (const [at, day, settledAt] of [
  ['2026-01-05T23:15:00+00:00', '2026-01-06', '2026-01-06T00:15:00'],
  ['2026-01-05T23:15:11.5Z', '2026-01-06', '2026-01-06T00:15:11.5'],
  ['2026-01-06T00:15:00+01:00', '2026-01-06', '2026-01-06T00:15:00'],
  ['2026-01-05T23:15:00', '2026-01-05', '2026-01-05T23:15:00'],
] as const)
  test(`When a POS in Oslo was settled at ${at}, then its settlement totals are of ${day}, in the books, by the day and in the mirror`, () => {
    const payload = version2(1012, { settlementTimeStamp: at })
    const planned = { ...eventOf(payload), payload }
    const [step] = bookSettlement.plan(planned)

    expect(booked(payload)).toMatchObject({ day, settlement: { settledAt } })
    expect(dailyBatch(planned, step?.at ?? '', { flows: [bookSettlement.name], closes: '03:00' }, PLACES).batch).toBe(
      `${day} 7`,
    )
    expect(mirrorFacts.call(eventOf(payload), { part: '' }, known())?.argument).toMatchObject({
      day,
      settlement: { settledAt, storeNo: '7' },
    })
  })

function eventOf(payload: object) {
  return {
    id: 1,
    kind: KIND,
    origin: 'platform',
    subscription: 'all',
    identity: '8150',
    entity: null,
    revision: 1,
    bodyHash: '',
    receivedAt: 0,
    body: Buffer.from(JSON.stringify(payload)),
  } as never as Parameters<typeof bookSettlement.call>[0] & Parameters<typeof bookSettlement.plan>[0]
}

function known(): CallContext {
  return { ...EMPTY_CONTEXT, storeOf: (ref) => resolveStore(PLACES, ref) }
}
