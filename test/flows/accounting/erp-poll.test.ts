import { fetch } from 'undici'
import { expect, test } from 'vitest'
import { createTestClock } from '../../clock.ts'
import { listen } from '../../listen.ts'
import { openStorage } from '../days/open-store.ts'

const PRODUCT = {
  extId: '10-BLK',
  name: 'Jacket',
  number: '10',
  variant: 'BLK',
  groupName: 'Coats',
  color: 'Black',
  season: '2026-AW',
  brand: 'Nordlys',
  productSizes: [{ gtin: '5901234123457', label: 'M' }],
}

test('When an ERP with an API is asked for its products, then the platform has them, once', async () => {
  const asked: string[] = []
  await using server = await listen((request, response) => {
    asked.push(request.url ?? '')
    const isNew = request.url === '/changes?since=0'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ products: isNew ? [PRODUCT] : [], at: '7' }))
  })
  const poll = {
    path: '/changes',
    query: { since: '{{cursor}}' },
    first: '0',
    items: 'answer.products.{"resource": "products", "key": extId & "@" & $$.answer.at, "value": $}',
    cursor: 'answer.at',
  }
  await using storage = await openStorage({
    clock: createTestClock(),
    seedCatalogue: false,
    others: { erp: { adapter: 'rest', url: server.url, poll } },
  })
  for (const run of [1, 2]) {
    const { body } = await storage.hub.admin<{ problem: unknown }>('jobs/shop-orders/run', {})
    expect([run, body.problem]).toEqual([run, null])
  }
  await storage.quiet()
  expect(asked.slice(0, 2)).toEqual(['/changes?since=0', '/changes?since=7'])
  const keys = { 'x-api-key': 'key-of-the-user', 'Ocp-Apim-Subscription-Key': 'key-of-the-company' }
  const found = await fetch(`${storage.platform.portalUrl}/api/Product/gtin/5901234123457`, { headers: keys })
  expect(JSON.stringify(await found.json())).toContain('Jacket')
})
