import { expect, test } from 'vitest'
import { bytesOf, openAsking, openDropped } from './reading-kit.ts'

test('When thousands of rows of one delivery differ, then the reject file says so with each, and stays about as long as the file', async () => {
  await using folder = openDropped()
  await using asking = openAsking(folder.path, { 'goods-deliveries': { pattern: 'd-*.csv' } })
  const rows = Array.from({ length: 2_000 }, (_, nth) => `D1,1,box ${nth},false,${7_000_000_000_000 + nth},1\n`)
  folder.put('d-1.csv', `extRef,storeNo,comment,insertAsConfirmed,gtin,qty\n${rows.join('')}`)
  const run = await asking.run()
  expect(run.refused).toHaveLength(1)
  expect(bytesOf(folder, 'reject/d-1.csv').length).toBeLessThan(2_000_000)
  const [, first, ...others] = folder.read('reject/d-1.csv').trimEnd().split('\n')
  expect(first).toMatch(
    /^2,"line 3: it has another comment than the rows of D1 before it; line 4: .*; and 1989 more",D1,1,box 0,/,
  )
  expect(others).toHaveLength(1_999)
})
