import { afterAll, beforeAll, expect, test } from 'vitest'
import { levelIn } from '../../src/domain/catalogue/mirror.ts'
import { parseDecimal } from '../../src/domain/values/money.ts'
import type { Stock } from '../../src/platform/resources/stock.ts'
import { listed } from '../listed.ts'
import { MINUTE } from './kit.ts'
import { openPulled, type Pulled, said } from './pulls/pull-kit.ts'

const KIND = 'StockLevelRead'
const ARTICLES = 9
const STOCKS = 5
const TEE = '7090012340011'

let the: Pulled
beforeAll(async () => {
  the = await openPulled('2026-11-20T08:00:00Z')
})
afterAll(() => the[Symbol.asyncDispose]())

test('when a movement was lost, then its level is read', async () => {
  the.clock.advance(10 * MINUTE)
  expect(await the.run('stock-levels')).toBe(
    `${STOCKS} stocks: ${STOCKS * ARTICLES} rows, ${STOCKS * ARTICLES} other levels`,
  )
  await the.quiet()
  expect(await the.mirror('stock')).toHaveLength(STOCKS * ARTICLES)

  the.clock.advance(10 * MINUTE)
  the.lose(true)
  the.platform.actions.adjustStock({ stock: '102', sku: 'TEE-BLK-M', quantity: -4 })
  await the.quiet()
  the.lose(false)
  expect(await levelOf('13', TEE)).toBe('30')
  expect(await the.run('stock-levels')).toBe(`${STOCKS} stocks: ${STOCKS * ARTICLES} rows, 1 other level`)
  await the.quiet()

  expect(await levelOf('13', TEE)).toBe('26')
  expect(said(the.events(KIND).at(-1) ?? expect.fail())).toMatchObject({ stockId: '13', gtin: TEE, level: '26' })
})

test('when a movement was pushed, then its level is known, and pulling says nothing; and a pulled one does not hide what comes', async () => {
  const { platform } = the
  platform.actions.adjustStock({ stock: '101', sku: 'TEE-BLK-M', quantity: -1 })
  await the.quiet()
  const before = the.events(KIND).length

  expect(await the.run('stock-levels')).toBe(`${STOCKS} stocks: ${STOCKS * ARTICLES} rows, 0 other levels`)

  expect(the.events(KIND)).toHaveLength(before)
  the.clock.advance(1_000)
  platform.actions.adjustStock({ stock: '101', sku: 'TEE-BLK-M', quantity: -1 })
  await the.quiet()
  expect(await levelOf('12', TEE)).toBe('28')
})

test('when the full read is cut off, then it goes on with the next stock', async () => {
  const asked: string[] = []
  const stop = new AbortController()
  const job = the.beside('stock-levels', ({ stock }) => ({
    stock: {
      ...stock,
      async levels(query, signal) {
        asked.push(...query.stockIds)
        if (asked.length === 3) stop.abort(new Error('The hub is stopping.'))
        return await stock.levels(query, signal)
      },
    },
  }))

  await expect(job.run(stop.signal)).rejects.toThrow('The hub is stopping.')
  expect(await job.run()).toMatch('3 stocks')

  expect(asked).toEqual(['12', '13', '14', '14', '21', '22'])
  expect(await job.run()).toMatch('5 stocks')
})

test('when a stock that has articles answers with none, then nothing changes, and that is said; it is asked for all again', async () => {
  const questions: object[] = []
  const levels: Stock['levels'] = async (query) => {
    questions.push(query)
    return listed([])
  }
  const empty = (name: string) => the.beside(name, ({ stock }) => ({ stock: { ...stock, levels } }))
  const before = await the.mirror('stock')

  // As few as the sandbox has are not many: ten are.
  await addArticle('12')
  expect(await empty('stock-levels').run()).toMatch('5 stocks: 0 rows, 0 other levels, 1 suspiciously empty')

  expect(questions.at(-5)).toEqual({ stockIds: ['12'] })
  expect((await the.mirror('stock')).slice(0, before.length)).toEqual(before)
})

async function levelOf(stockId: string, gtin: string): Promise<string> {
  const [row] = await the.hub.hub.storage.mirrorRows('stock', [`${stockId}/${gtin}`])
  return row ? levelIn(row) : 'none'
}

async function addArticle(stockId: string): Promise<void> {
  const stock: Stock['levels'] = async ({ stockIds }) =>
    listed(stockIds.includes(stockId) ? [{ id: '7090012348888', stockId, quantity: parseDecimal(1) }] : [])
  await the
    .beside('stock-levels', () => ({
      stock: { adjust: async () => {}, countsWhole: () => false, areSellable: () => false, levels: stock },
    }))
    .run()
  await the.quiet()
}
