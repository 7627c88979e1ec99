import { expect, test } from 'vitest'
import { keptIn, startTestHub } from '../../hub.ts'
import { openCounter, shareCounter } from './given.ts'

const counter = shareCounter({ config: { platform: { stockWriters: { 900: 'wms' } } } })

const COUNT = { stockId: 12, isCompleteStockCount: true, stockCountTime: '2026-11-20T06:00:00Z' }

async function levelsNow(): Promise<{ gtin: string; quantity: string }[]> {
  const [gtin] = ['0000000000000']
  const { body } = await counter().submit('stock-adjustments?dryRun=true', { ...COUNT, items: [{ gtin, quantity: 1 }] })
  return body.wouldBecomeZero
}

function counts() {
  return keptIn(counter().hub).filter(({ kind }) => kind === 'StockCountSubmitted')
}

test('when a complete count is tried, then it is told what would become 0, and only what was confirmed is taken', async () => {
  const levels = await levelsNow()
  expect(levels.length).toBeGreaterThan(2)
  const items = levels.slice(1).map(({ gtin }) => ({ gtin, quantity: 3 }))
  const count = { ...COUNT, items }

  const unconfirmed = await counter().submit('stock-adjustments', count)
  const tried = await counter().submit('stock-adjustments?dryRun=true', count, { key: null })
  expect(unconfirmed).toMatchObject({ status: 422, body: { code: 'invalid' } })
  expect(unconfirmed.body.faults[0]?.faults[0]).toMatch(/^confirmation: found nothing, expected what the same request/)
  expect(tried).toMatchObject({ status: 200, body: { wouldBecomeZero: [levels[0]], count: 1 } })
  expect(counts()).toHaveLength(0)

  const { confirmation } = tried.body
  const changed = await counter().submit('stock-adjustments', { ...count, items: items.slice(1), confirmation })
  expect(changed).toMatchObject({ status: 409, body: { code: 'confirmation-stale', count: 2 } })
  expect(changed.body.wouldBecomeZero).toEqual(levels.slice(0, 2))
  expect(counts()).toHaveLength(0)

  const taken = await counter().submit('stock-adjustments', { ...count, confirmation }, { key: 'count-1' })
  expect(taken).toMatchObject({ status: 202, body: { lines: 1, accepted: 1 } })
  expect(counts()).toHaveLength(1)
  expect(JSON.parse(String(counts()[0]?.body))).toEqual({
    stockId: '12',
    stockCountTime: '2026-11-20T06:00:00.000Z',
    items: items.map(({ gtin }) => ({ gtin, quantity: '3' })),
  })

  const again = await counter().submit('stock-adjustments', { ...count, confirmation }, { key: 'count-1' })
  expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', id: taken.body.id } })
})

test('when a count is not whole, twice the same, or one of several, then each fault is told', async () => {
  const { body } = await counter().submit('stock-adjustments?dryRun=true', {
    isCompleteStockCount: true,
    items: [{ gtin: '1', quantity: 1 }],
  })
  expect(body.faults).toEqual([
    {
      line: 1,
      faults: [
        'stockCountTime: found nothing, expected a date and time with its zone, such as 2026-01-31T09:30:00Z or …+01:00',
        'found an object, expected exactly one of stockId and stockNo',
      ],
    },
  ])
  const twice = [
    { gtin: '1', quantity: 1 },
    { gtin: '1', quantity: 2 },
  ]
  expect((await counter().submit('stock-adjustments', { ...COUNT, items: twice })).body.faults[0]?.faults).toEqual([
    'items[1].gtin: found the one of items[0], expected each GTIN once',
  ])
  const several = [
    { ...COUNT, items: twice.slice(1) },
    { ...COUNT, items: twice.slice(1) },
  ]
  expect((await counter().submit('stock-adjustments', several)).body.faults).toMatchObject([{ line: 1 }, { line: 2 }])
})

test('when the platform cannot be asked, then a count is neither tried nor taken', async () => {
  await using unreachable = await openCounter()
  await unreachable.platform[Symbol.asyncDispose]()
  const count = { ...COUNT, items: [{ gtin: '1', quantity: 1 }] }
  for (const path of ['stock-adjustments?dryRun=true', 'stock-adjustments'])
    expect(await unreachable.submit(path, { ...count, confirmation: 'x' })).toMatchObject({
      status: 503,
      body: { code: 'platform-unavailable' },
    })
  await using hub = await startTestHub()
  const { body } = await hub.admin<{ key: string }>('keys', { system: 'erp', may: 'stock-adjustments' })
  const answer = await hub.ask('/v1/stock-adjustments?dryRun=true', {
    method: 'POST',
    headers: { authorization: `Bearer ${body.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(count),
  })
  expect(answer).toMatchObject({
    status: 503,
    body: { detail: 'The hub has no platform.baseUrl, so it cannot ask for the levels.' },
  })
})

for (const [path, body, where] of [
  ['stock-adjustments', { stockId: '900', gtin: '7090000000011', quantity: '3' }, 'stockId'],
  [
    'products',
    { extId: 'A', productSizes: [{ gtin: '7090000000011', stockQty: [{ stockId: '900', qty: '3' }] }] },
    'productSizes[0].stockQty[0].stockId',
  ],
] as const)
  test(`When another system than its writer submits levels of a stock to ${path}, then it is refused by name`, async () => {
    const refused = await counter().submit(path, body)
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain(`${where}: found a stock that another system writes`)
    expect(JSON.stringify(refused.body)).toContain('from wms alone (platform.stockWriters in config)')
    const wms = await counter().keyOf('wms')
    expect((await counter().submit(path, body, { as: wms.key })).status).toBe(202)
  })
