import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createFolder, startTestHub, type TestHub } from '../../hub.ts'
import { pushHere } from './kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

test('When files are pushed to a hub, then the platform has what is in them, and a second push of one changes nothing', async () => {
  await using sandbox = await startPlatform(KEYS)
  await using platform = createPlatform({ preset: 'spec', baseUrl: sandbox.url, ...KEYS })
  await using hub = await startTestHub({ config: { platform: { baseUrl: sandbox.url, ...KEYS } } })
  await using folder = await createFolder()
  const env = { TILLBRIDGE_URL: hub.url, TILLBRIDGE_KEY: await keyFor(hub, 'products,prices,stock-adjustments') }
  const [store] = (await platform.stores.list()).rows
  const stockId = store?.stockId ?? ''

  const products = await written(
    folder.path,
    'products.csv',
    `extId;number;name;groupName;color;season;brand;price;createProductSpecificSize;gtin;label;labelSortIndex
1001-BLK;1001;Rain jacket;Jackets;Black;AW26;Acme;1399,50;true;7040000000016;S;1
1001-BLK;1001;;;;;;;;7040000000023;M;2
1002-RED;1002;Cap;Caps;Red;AW26;Acme;199;true;7040000000030;One;1
1003-RED;1003;Scarf;Scarves;Red;AW26;Acme;many;true;7040000000048;One;1
`,
  )
  const rehearsed = await pushHere(['products', products, '--dry-run'], env)
  expect(rehearsed.code).toBe(1)
  expect(rehearsed.out).toContain('2 would be taken, 1 refused. Nothing was taken.')
  expect(rehearsed.out).toContain('line 5: price: found "many", expected a number like 1399.50')
  expect(await platform.products.byGtin('7040000000023')).toBeNull()

  const pushed = await pushHere(['products', products], env)
  expect(pushed.out).toContain('2 taken, 1 refused.')
  expect(pushed.out).toContain('Deliveries: 2 delivered.')
  expect(pushed.code).toBe(1)
  expect(await platform.products.byGtin('7040000000023')).toMatchObject({ name: 'Rain jacket', price: '1399.5' })

  const again = await pushHere(['products', products], env)
  expect(again.out).toContain('0 taken, 2 were taken before, 1 refused.')
  expect(again.out).toContain('Nothing is taken twice')

  const prices = await written(
    folder.path,
    'prices.ndjson',
    `{"list":"Autumn","productExtId":"1001-BLK","price":999.90}\n{"list":"Autumn","productExtId":"none","price":"1"}`,
  )
  const priced = await pushHere(['prices', prices], env)
  expect(priced.out).toContain('2 taken, 0 refused.')
  expect(priced.out).toContain('Deliveries: 1 delivered, 1 dead.')
  expect(priced.out).toMatch(/line 2 \(price:Autumn.*400 Bad Request: .*; it names prices/)
  expect((await platform.prices.lists()).rows.map(({ name }) => name)).toContain('Autumn')

  const bad = await written(
    folder.path,
    'bad.ndjson',
    '\n{"list":"Autumn","productExtId":"1001-BLK","price":"x"}\nnothing',
  )
  const refused = await pushHere(['prices', bad], env)
  expect(refused.code).toBe(1)
  expect(refused.out).toMatch(/^Nothing was taken\.\n2 refused, not sent on:\n/)
  expect(refused.out).toMatch(/line 2: price: found "x", expected .*\n/)
  expect(refused.out).toMatch(/line 3: /)

  const levels = await written(
    folder.path,
    'stock.ndjson',
    `\n{"stockId":${stockId},"gtin":"7040000000016","quantity":4}\n{"stockId":${stockId},"gtin":"","quantity":4}\n`,
  )
  const stocked = await pushHere(['stock', levels], env)
  expect(stocked.out).toContain('1 taken, 1 refused.')
  expect(stocked.out).toContain('line 3: gtin: found empty text')
  expect(stocked.out).toContain('Deliveries: 1 delivered.')
})

async function keyFor(hub: TestHub, may: string): Promise<string> {
  return (await hub.admin<{ key: string }>('keys', { system: 'erp', may })).body.key
}

async function written(folder: string, name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}
