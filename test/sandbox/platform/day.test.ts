import { expect, test } from 'vitest'
import { givenPlatform, startReceiver, subscribe } from './given.ts'
import { call, TEE } from './goods/given.ts'
import { odata } from './odata-given.ts'

const NOON = Date.parse('2026-11-20T11:00:00Z')
const TODAY = "from='2026-11-20'&to='2026-11-20'"

/** What these stories read of a settlement. */
interface Settlement {
  Currency: string
  GrandTotal: number
  NetTotal: number
  VATTotal: number
  VATArea1: number | null
  VATArea2: number | null
  OpeningCashBalance: number
  ClosingCashBalance: number
  PaymentTypes: { Type: string; SubType: string; Amount: number }[]
}

test('When a day has sales of every sort, then settlements, sale lines and payments agree to the cent, in each currency', async () => {
  await using platform = await givenPlatform({ now: () => NOON })
  await using receiver = await startReceiver()
  for (const kind of ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated'])
    await subscribe(platform, kind, receiver.url)
  const { actions } = platform
  for (const store of ['101', '102', '103', '201', '202']) {
    actions.sellGiftCard({ store, amount: 50_000 })
    for (const payment of ['card', 'cash', 'split', 'invoice', 'giftcard'] as const)
      for (let sale = 0; sale < 3; sale++) actions.sell({ store, payment })
    actions.sell({ store, payment: 'cash', lines: [{ sku: 'BEANIE-RED' }, { sku: 'COFFEE', quantity: 3 }] })
    actions.sell({ store, payment: 'split', lines: [{ sku: 'JEANS-IND-32' }, { sku: TEE.sku, quantity: -1 }] })
    actions.sell({ store, sku: 'DRE100007-WHT-M', quantity: 2 })
    actions.returnGoods({ store, sku: 'COAT-NVY-M', payment: 'cash' })
    actions.returnGoods({ store })
    actions.sellGiftCard({ store, amount: 250.5, payment: 'cash' })
    actions.sendReceipt({ store })
    actions.endlessAisle({ store })
  }
  actions.closeDay()
  await platform.settled()

  const lines = await odata(platform, `Saleslines?${TODAY}`)
  const { body } = await call(platform, 'get', '/api/possettlement?date=2026-11-20')
  const settlements = body as Settlement[]
  const sales = receiver.bodies as unknown as Sale[]
  for (const currency of ['NOK', 'SEK']) {
    const here = settlements.filter(({ Currency }) => Currency === currency)
    const sold = lines
      .filter(({ Currency }) => Currency === currency)
      .map(({ Qty, Price }) => Math.round(Number(Qty)) * Math.round(Number(Price) * 100))
    const told = sales.filter(({ store }) => store.currency === currency)
    const paid = told.flatMap(({ paymentLines }) => paymentLines.map(({ amount }) => Math.round(amount * 100)))
    const total = sum(here.map(({ GrandTotal }) => cents(GrandTotal)))
    expect(total).toBeGreaterThan(0)
    expect(sum(sold)).toBe(total)
    expect(sum(paid)).toBe(total)
    expect(sum(told.map((sale) => cents(sale.total)))).toBe(total)
    expect(sum(here.flatMap(({ PaymentTypes }) => PaymentTypes.map(({ Amount }) => cents(Amount))))).toBe(total)
  }
  for (const one of settlements) {
    expect(cents(one.NetTotal) + cents(one.VATTotal)).toBe(cents(one.GrandTotal))
    expect(cents(one.VATArea1 ?? 0) + cents(one.VATArea2 ?? 0)).toBe(cents(one.VATTotal))
    const coins = sum(one.PaymentTypes.map(({ SubType, Amount }) => (SubType === 'Cash' ? cents(Amount) : 0)))
    expect(cents(one.OpeningCashBalance) + coins).toBe(cents(one.ClosingCashBalance))
    // There are no coins below 1.
    expect(Math.abs(coins % 100)).toBe(0)
  }
  const sorts = new Set(
    settlements.flatMap(({ PaymentTypes }) => PaymentTypes.map(({ SubType, Type }) => SubType || Type)),
  )
  expect([...sorts].sort()).toEqual(['Cash', 'Giftcard in', 'Giftcard out', 'Invoice', 'Rounding', 'Visa'])
})

test('When a till is settled twice, then its drawer goes on from what it had', async () => {
  await using platform = await givenPlatform({ now: () => NOON })
  const { actions } = platform
  for (let sale = 0; sale < 6; sale++) actions.sell({ store: '101', sku: 'COAT-NVY-M', payment: 'cash' })
  const first = new Map(platform.closeDay('101').map((one) => [one.POSID, one.ClosingCashBalance]))
  for (let sale = 0; sale < 6; sale++) actions.returnGoods({ store: '101', sku: 'COAT-NVY-M', payment: 'cash' })
  for (const { POSID, OpeningCashBalance } of platform.closeDay('101'))
    expect(OpeningCashBalance).toBe(first.get(POSID) ?? 1_000)
})

test('When a gift card is sold and used, then it has what is left, and the rest is paid by card', async () => {
  await using platform = await givenPlatform()
  await using receiver = await startReceiver()
  await subscribe(platform, 'GiftCardTransactionCreated', receiver.url)
  const { giftCard } = platform.actions.sellGiftCard({ store: '101', amount: 300 })
  const receipts = [1, 2].map(() =>
    platform.till.sell({
      store: '101',
      sku: 'SOCKS-GRY',
      quantity: 2,
      payment: 'giftcard',
      giftCard: String(giftCard),
    }),
  )
  await platform.settled()
  expect(receiver.bodies).toHaveLength(3)
  expect(receiver.bodies).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'Issued', amount: 300, balance: 300, token: giftCard }),
      expect.objectContaining({ type: 'PartlyUsed' }),
      expect.objectContaining({ type: 'Used', balance: 0 }),
    ]),
  )
  const used = receipts.flatMap(({ payments }) => payments.filter(({ type }) => type === 'Giftcard'))
  expect(sum(used.map((one) => one.cents))).toBe(30_000)
  expect(receipts[1]?.payments.at(-1)).toMatchObject({ type: 'Card' })
})

interface Sale {
  store: { currency: string }
  total: number
  paymentLines: { amount: number }[]
}

function cents(amount: number): number {
  return Math.round(amount * 100)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
