import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Platform } from '../../../src/platform/platform.ts'
import { DAY } from '../kit.ts'
import { openPulled, type Pulled, said } from './pull-kit.ts'

const KIND = 'SalesLinesRead'

// Clocks go forward in the night to the 29th.
let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-03-28T09:00:00Z', { days: 1 })
})
afterAll(() => the[Symbol.asyncDispose]())

test('when stores sell on the day on which an hour is missing, then each hour of a store is read once, and mirrored', async () => {
  const { platform, clock } = the
  platform.actions.sell({ store: '101', lines: [{ sku: 'TEE-BLK-M', quantity: 2 }, { sku: 'SOCKS-GRY' }] })
  clock.advance(Date.parse('2026-03-29T00:50:00Z') - clock.now())
  // 01:50, and ten minutes later 03:00.
  platform.actions.sell({ store: '101', sku: 'COAT-NVY-M' })
  clock.advance(600_000)
  platform.actions.sell({ store: '101', sku: 'COAT-NVY-M' })
  platform.actions.sell({ store: '201', sku: 'COAT-NVY-M' })

  expect(await the.run('sales-lines')).toBe('2 days: 5 lines, 4 other hours')
  await the.quiet()
  expect(await the.run('sales-lines')).toBe('2 days: 5 lines, 0 other hours')
  await the.quiet()

  expect(
    the
      .events(KIND)
      .map(said)
      .map(({ storeId, hour }) => `${storeId} ${hour}`),
  ).toEqual(['42 2026-03-28T10', '42 2026-03-29T01', '42 2026-03-29T03', '51 2026-03-29T03'])
  const rows = await the.mirror('sales-lines')
  expect(rows.map(({ place, part, body }) => [place, part, body.quantity, body.currency])).toEqual([
    ['101', '42/2026-03-28T10', '2', 'NOK'],
    ['101', '42/2026-03-28T10', '1', 'NOK'],
    ['101', '42/2026-03-29T01', '1', 'NOK'],
    ['101', '42/2026-03-29T03', '1', 'NOK'],
    ['201', '51/2026-03-29T03', '1', 'SEK'],
  ])
})

test('when goods come back, then the line has a quantity below 0', async () => {
  the.platform.actions.returnGoods({ store: '102', sku: 'TEE-BLK-M', quantity: 1 })

  await the.run('sales-lines')
  await the.quiet()

  const [row] = (await the.mirror('sales-lines')).filter(({ place }) => place === '102')
  expect(row?.body).toMatchObject({ quantity: '-1', gtin: '7090012340011' })
})

test('when lines are voided, then they go from the mirror, whole hours too; when half of a day is gone, that is not believed', async () => {
  const voided = { is: (_: { soldAt: string; storeId: string }) => false }
  const job = the.beside('sales-lines', ({ salesLines }) => ({
    salesLines: without(salesLines, (line) => voided.is(line)),
  }))
  await job.run()
  const all = await the.mirror('sales-lines')
  expect(all).toHaveLength(6)

  // The hour of 03 in Stockholm.
  voided.is = ({ storeId }) => storeId === '51'
  expect(await job.run()).toBe('2 days: 5 lines, 1 other hour')
  await the.quiet()
  expect((await the.mirror('sales-lines')).map(({ place }) => place)).not.toContain('201')
  expect(said(the.events(KIND).at(-1) ?? expect.fail())).toEqual({ storeId: '51', hour: '2026-03-29T03', lines: [] })
  const before = the.events(KIND).length
  await job.run()
  expect(the.events(KIND)).toHaveLength(before)

  voided.is = ({ soldAt }) => soldAt > '2026-03-29T00'
  expect(await job.run()).toBe('2 days: 2 lines, 0 other hours, 1 day suspiciously empty')
  await the.quiet()
  expect(await the.mirror('sales-lines')).toHaveLength(5)

  voided.is = () => false
  expect(await job.run()).toBe('2 days: 6 lines, 1 other hour')
  await the.quiet()
  expect(await the.mirror('sales-lines')).toHaveLength(6)
})

test('when the run is cut off after two of five days, then nothing is missing, and no hour is taken twice', async () => {
  const { platform, clock } = the
  for (let day = 0; day < 5; day++) {
    clock.advance(DAY)
    for (const store of ['101', '202']) platform.actions.sell({ store, sku: 'TEE-BLK-M' })
  }
  const asked: string[] = []
  const stop = new AbortController()
  const job = the.beside('sales-lines', ({ salesLines }) => ({
    salesLines: {
      ...salesLines,
      list: (query, signal) => {
        asked.push(query.from)
        if (asked.length === 3) stop.abort(new Error('The hub is stopping.'))
        return salesLines.list(query, signal)
      },
    },
  }))
  job.state = { begin: '2026-03-28', day: '2026-04-01', again: {}, read: {} }
  const before = the.events(KIND).length

  await expect(job.run(stop.signal)).rejects.toThrow('The hub is stopping.')
  await job.run()
  await the.quiet()

  expect(asked.map((day) => day.slice(5)).join(' ')).toBe('03-30 03-31 04-01 03-30 03-31 04-01 04-02 04-03')
  expect(the.events(KIND)).toHaveLength(before + 10)
  expect((await the.mirror('sales-lines')).filter(({ day }) => day > '2026-03-29')).toHaveLength(10)
})

function without(
  salesLines: Platform['salesLines'],
  gone: (line: { soldAt: string; storeId: string }) => boolean,
): Platform['salesLines'] {
  return {
    ...salesLines,
    async *list(query, signal) {
      for await (const window of salesLines.list(query, signal))
        yield { ...window, rows: window.rows.filter((row) => !gone(row)) }
    },
  }
}
