import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import {
  type Finding,
  type FindingChange,
  type FindingFilter,
  type FindingSort,
  type StockDifference,
  unsellableKey,
} from '../../../src/domain/catalogue/finding.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { findingPages } from '../../../src/storage/walk-pages.ts'
import { DAY } from '../acting.ts'
import type { StoreTest } from '../under-test.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')

/** What jobs have found: kept by what it is about, listed by day. */
export function findings(test: StoreTest): void {
  test('When findings are kept, then each sort is listed by day, and within a day as they first came', async (the) => {
    const { storage } = the
    const days = [2, 0, 1, 0]
    await keep(storage, ...days.map((day, nth) => unsellable(`p${nth}`, NOON + day * DAY)))
    await keep(storage, unsellable('p2', NOON + DAY), difference('2026-11-20T04:00:00', '709'))
    expect((await all(storage, { sort: 'unsellable' })).map(({ productId }) => productId)).toEqual([
      'p1',
      'p3',
      'p2',
      'p0',
    ])
    expect(await all(storage, { sort: 'stock-difference' })).toEqual([difference('2026-11-20T04:00:00', '709').says])
    expect(await all(storage, { sort: 'product-difference' })).toEqual([])
  })

  test('When one of several ids that are found is endless, then each is kept, once, and can be dropped', async (the) => {
    const { storage } = the
    const endless = randomBytes(3_000).toString('base64url')
    const found = ['Blue', endless, 'Red'].map((one) => unsellable(one, NOON))
    for (let twice = 0; twice < 2; twice += 1) await keep(storage, ...found)
    expect(await all(storage, { sort: 'unsellable' })).toEqual(found.map(({ says }) => says))
    await storage.saveFindings([{ type: 'drop', sort: 'unsellable', key: unsellableKey('NOK', endless) }])
    expect(await all(storage, { sort: 'unsellable' })).toHaveLength(2)
  })

  test('When a page is short, then the next one goes on behind it, whatever went meanwhile', async (the) => {
    const { storage } = the
    await keep(storage, ...['a', 'b', 'c', 'd'].map((name) => unsellable(name, name < 'c' ? NOON : NOON + DAY)))
    const first = await storage.findings({ sort: 'unsellable' }, null, 2)
    expect(first.map(({ key }) => key)).toEqual(['NOK/a', 'NOK/b'])
    await storage.saveFindings(['NOK/b', 'NOK/c'].map((key) => ({ type: 'drop', sort: 'unsellable', key })))
    await keep(storage, unsellable('e', NOON + DAY))
    const rest = await storage.findings({ sort: 'unsellable' }, first.at(-1) ?? null, 10)
    expect(rest.map(({ key }) => key)).toEqual(['NOK/d', 'NOK/e'])
  })

  test('When one comes again, then it takes the place of what it was, unless that is further on', async (the) => {
    const { storage } = the
    const run = '2026-11-20T04:00:00'
    const corrected = difference(run, '709', 'corrected')
    await keep(storage, difference(run, '709'), difference(run, '710'))
    await keep(storage, corrected)
    await keep(storage, difference(run, '709'))
    expect(await all(storage, { sort: 'stock-difference', topic: run })).toEqual([
      corrected.says,
      difference(run, '710').says,
    ])
  })

  test('When changes of one list are about one thing, then they are made in their order', async (the) => {
    const { storage } = the
    const drop: FindingChange = { type: 'drop', sort: 'unsellable', key: 'NOK/a' }
    const put = (since: number): FindingChange => ({ type: 'keep', finding: unsellable('a', since) })
    await storage.saveFindings([put(NOON), drop, put(NOON + 1), put(NOON + 2), { ...drop, key: 'NOK/none' }])
    expect(await all(storage, { sort: 'unsellable' })).toEqual([unsellable('a', NOON + 2).says])
    expect(await storage.findingKeys('unsellable', ['NOK/a', 'NOK/b'])).toEqual(new Set(['NOK/a']))
    expect(await storage.findingKeys('stock-difference', ['NOK/a'])).toEqual(new Set())
    await storage.saveFindings([put(NOON), drop])
    expect(await storage.findingKeys('unsellable', ['NOK/a'])).toEqual(new Set())
    await storage.saveFindings([])
  })
}

function unsellable(productId: string, since: number, list = 'NOK') {
  return { sort: 'unsellable', says: { list, productId, since } } as const
}

function difference(run: string, gtin: string, state: StockDifference['state'] = 'proposed') {
  const levels = { right: parseDecimal(3), found: parseDecimal('1.5'), cause: 'unknown', detail: null } as const
  const says = { run, of: { stockId: '12' }, gtin, sku: null, ...levels, readAt: NOON, state, approved: null }
  return { sort: 'stock-difference', says } as const
}

async function keep(storage: Storage, ...findings: Finding[]): Promise<void> {
  await storage.saveFindings(findings.map((one) => ({ type: 'keep', finding: one })))
}

async function all<S extends FindingSort>(storage: Storage, filter: FindingFilter<S>) {
  return (await Array.fromAsync(findingPages(storage, filter))).flat().map(({ says }) => says)
}
