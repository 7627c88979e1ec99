import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { sale, saleLine } from '../../fixtures/payloads.ts'
import { type Erp, openErp } from './erp-given.ts'

/** Asked of a person, as it may be the same: nothing is booked twice, and nothing disappears. */
const heldIn = async (erp: Erp) =>
  await eventually(async () => {
    const held = await erp.hub.hub.storage.deliveries({ state: 'held' })
    expect(held).toMatchObject([{ code: 'perhaps-booked' }])
    return held
  })

test('When a stock is counted under a number that was booked, and other pieces are found, then a person is asked', async () => {
  const count = (quantity: number, countedDateTime: string) => ({
    ...{ stockCountId: 7, stockId: 12, countedDateTime },
    items: [{ gtin: '7090012340011', quantity }],
  })
  await using erp = await openErp({ more: { write: { count: { name: 'count-{key}', format: 'json' } } } })
  await erp.tell('StockCountReconciled', [count(5, '2026-11-20T09:00:00')])
  expect(await erp.booked('count')).toHaveLength(1)
  await erp.tell('StockCountReconciled', [count(3, '2027-01-20T09:00:00')])
  await heldIn(erp)
  expect(await erp.booked('count')).toHaveLength(1)
})

test.each([
  ['SaleExternalCreated', 'SaleExternalCreated'],
  ['SaleCreated', 'SaleExternalCreated'],
  ['OmniChannelEndlessAisleOrderCreated', 'SaleCreated'],
])(
  'When %s is followed by %s of the same receipt with another total, then a person is asked',
  async (first, second) => {
    const morning = sale({ receiptNo: '500', createdDateTime: '2026-11-20T10:00:00', orderNo: 'W-1' })
    const others = sale({
      ...{ receiptNo: '500', createdDateTime: '2026-11-20T17:00:00', orderNo: 'W-2', total: 100, vatTotal: 20 },
      orderLines: [saleLine({ price: 100, vat: 20 })],
      paymentLines: [{ type: 'Card', amount: 100, currency: 'NOK' }],
    })
    await using erp = await openErp()
    await erp.tell(first, [morning])
    expect(await erp.booked('sale')).toHaveLength(1)
    await erp.tell(second, [others])
    await heldIn(erp)
    expect(await erp.booked('sale')).toHaveLength(1)
  },
)
