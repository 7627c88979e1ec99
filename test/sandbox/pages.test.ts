import supertest from 'supertest'
import { expect, test } from 'vitest'
import { pageTime } from '../../sandbox/page-time.ts'
import { startPlatform } from '../../sandbox/platform/platform.ts'
import { salePayload, totalOf } from '../../sandbox/platform/sales/sale-payload.ts'
import { readPrintLines } from '../../src/adapters/smtp/receipt/print.ts'

test('When an instant is shown on a page, then it is on the retailer’s clock, with its zone', () => {
  expect(pageTime(Date.UTC(2026, 10, 22, 2, 53, 7))).toBe('2026-11-22 03:53:07 CET')
  expect(pageTime(Date.UTC(2026, 6, 1, 0, 0, 0))).toBe('2026-07-01 02:00:00 CEST')
})

test('When a page is asked for that the web stock does not have, then it says where one is', async () => {
  await using platform = await startPlatform({ apiKey: 'a', subscriptionKey: 'b', seedCatalogue: false })
  const textOf = async (path: string) => (await supertest(platform.url).get(path).expect(200)).text
  expect(await textOf('/?store=WEB')).toContain('Webshop has no such page: this is Oslo City.')
  expect(await textOf('/?store=9')).toContain('There is no such store: this is Oslo City.')
  for (const right of ['/', '/?store=101', '/stock?store=WEB']) expect(await textOf(right)).not.toContain('said wait')
})

test('When somebody says what is sold, then it costs what stands on it, and the receipt as printed has its lines', async () => {
  await using platform = await startPlatform({ apiKey: 'a', subscriptionKey: 'b', seedCatalogue: false })
  const sold = Array.from({ length: 20 }, () =>
    platform.till.sell({ store: '101', lines: [{ sku: 'TEE-BLK-M', quantity: 2 }] }),
  )
  expect(new Set(sold.map(({ lines }) => totalOf(lines)))).toEqual(new Set([69_800]))
  const [receipt] = sold
  const printed = receipt && readPrintLines(salePayload(receipt).receiptFormatted)
  expect(printed?.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['Oslo City', '2 × T-shirt  698.00 NOK', 'Total  698.00 NOK', 'Card  698.00 NOK']),
  )
})
