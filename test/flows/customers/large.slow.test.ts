import { expect, test } from 'vitest'
import type { ErasedPerson } from '../../../src/admin/data-subjects.ts'
import type { Exported } from '../../../src/privacy/report.ts'
import { asking } from '../../cli/run.ts'
import { sale, saleLine } from '../../fixtures/payloads.ts'
import { keptIn, startTestHub, type TestHub } from '../../hub.ts'
import { erase } from './zeb.ts'

/* The customer of a sale stands behind its lines and its receipt, however long these are. */

const BIA = { ...sale().customer, customerId: 991, firstName: 'Bia', lastName: 'Ek', customerExtId: '' }
const lines = (count: number) =>
  Array.from({ length: count }, (_, nth) =>
    saleLine({ gtin: String(7_090_012_300_000 + nth), externalSKU: `SKU-${nth}`, rowId: `row-${nth}` }),
  )

for (const [name, more] of [
  ['120 lines', { orderLines: lines(120) }],
  ['1,500 lines', { orderLines: lines(1_500) }],
  ['a receipt of 300 KB', { receiptFormatted: `<Line>For Bia</Line>${'x'.repeat(300_000)}` }],
] as const)
  test(`When a sale has ${name} before its customer, then they are found by it, handed it, and taken out of it`, async () => {
    await using hub = await startTestHub()
    await hub.post('SaleCreated', sale({ ...more, customer: BIA, comment: 'For Bia' }), { eventId: 'B-1' })
    const { body } = await hub.admin<Exported>('people/export', { who: '991', reason: 'asked' })
    expect(body.events).toMatchObject([{ kind: 'SaleCreated', payload: { receiptNo: '1001' } }])
    const erased = await erase(hub, '991')
    expect(erased).toMatchObject({ status: 200, body: { proof: { events: 1, secondPass: { found: 0 } } } })
    expect(saleIn(hub)).not.toMatch(/\bBia\b|"customerId":991\b/)
  })

test('When an id is typed in other letters than it is written in, then it is the same one', async () => {
  await using hub = await startTestHub()
  const guid = 'aaaaaaaa-2222-4333-8444-bbbbbbbbbbbb'
  const bia = { ...BIA, customerId: 0, customerGuid: guid }
  await hub.post('SaleCreated', sale({ customer: bia }), { eventId: 'B-1' })
  await hub.post('SaleCreated', sale({ receiptNo: '1002', customer: { ...bia, customerGuid: guid.toUpperCase() } }))
  const erased = await erase(hub, guid.toUpperCase())
  expect(erased).toMatchObject({ status: 200, body: { proof: { events: 2, secondPass: { found: 0 } } } })
  expect(keptIn(hub).join()).not.toMatch(/\bBia\b|aaaaaaaa/i)
})

const saleIn = (hub: TestHub) => String(keptIn(hub)[0]?.body)

/** Payloads that no index has: the larger one is not looked through. */
const HUGE = 'x'.repeat(2_200_000)

test('When a sale is in no index, then whoever looks everywhere is handed it, and an erasure by another one takes all of it', async () => {
  await using hub = await startTestHub({ config: { lookups: undefined } })
  const bia = { ...BIA, email: 'bia@example.com' }
  await hub.post('SaleCreated', sale({ receiptFormatted: HUGE, customer: bia, comment: 'Bia, the code is 1234' }))
  const asked = { who: 'bia@example.com', reason: 'asked' }
  expect((await hub.admin('people/export', asked)).status).toBe(400)
  const handed = await asking(hub)('people', 'export', 'bia@example.com', '--everywhere', '--reason', 'asked')
  expect(JSON.parse(handed.out).events).toMatchObject([{ payload: { receiptNo: '1001' } }])

  await hub.post('SaleCreated', sale({ receiptNo: '1002', customer: bia }))
  const erased = await hub.admin<ErasedPerson>('people/erase', asked)
  expect(erased).toMatchObject({ status: 200, body: { proof: { events: 2, secondPass: { found: 0 } } } })
  expect(keptIn(hub).map(({ body }) => /\bBia\b|code is|"customerId":991\b/i.exec(String(body))?.[0] ?? null)).toEqual([
    null,
    null,
  ])
})
