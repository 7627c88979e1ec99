import { expect, test } from 'vitest'
import { createKeySearch, createOrderPoll } from '../../src/adapters/shared/shop.ts'
import { PermanentError, RetryLaterError, UnfinishedLookError } from '../../src/domain/values/errors.ts'

const MINUTE = 60_000
const silent = new RetryLaterError('no answer', { code: 'cut' })

/** Orders 1, 2, 3 …, each a page of its own, with their numbers as keys; `find` also gives the pages that were read. */
function createShop(now?: () => number, last = 100) {
  let failing: { page: number; error: Error } | null = null
  const asked: number[] = []
  const search = createKeySearch(
    {
      start: 1,
      async read(page: number) {
        asked.push(page)
        if (failing && page >= failing.page) throw failing.error
        return { orders: [{ id: page }], next: page < last ? page + 1 : null }
      },
      hasKey: ({ id }, key) => String(id) === key,
    },
    now,
  )
  return {
    fail: (page: number, error: Error = silent) => {
      failing = { page, error }
    },
    async find(key: string) {
      const found = await search
        .find({ key, firstTriedAt: 0, signal: AbortSignal.timeout(5_000) })
        .catch((error: Error) => error)
      return { found, pages: asked.splice(0) }
    },
    repair: () => {
      failing = null
    },
  }
}

test('a search that failed continues a page before, and after its end the next begins anew', async () => {
  const shop = createShop()
  shop.fail(4)
  expect((await shop.find('5')).pages).toEqual([1, 2, 3, 4])
  shop.repair()
  expect(await shop.find('5')).toEqual({ found: { id: 5 }, pages: [3, 4, 5] })
  expect((await shop.find('5')).pages).toEqual([1, 2, 3, 4, 5])
})

test('a search that began a quarter of an hour ago begins anew', async () => {
  let now = 0
  const shop = createShop(() => now)
  for (now = 0; now < 15 * MINUTE; now += MINUTE) {
    shop.fail(3 + now / MINUTE)
    expect((await shop.find('50')).pages[0] === 1).toBe(now === 0)
  }
  expect((await shop.find('50')).pages[0]).toBe(1)
})

test('the places of the last thousand searches are remembered', async () => {
  const shop = createShop()
  shop.fail(3)
  for (let no = 0; no < 1_500; no += 1) await shop.find(`key ${no}`)
  const began = async (no: number) => (await shop.find(`key ${no}`)).pages[0]
  expect([await began(0), await began(499), await began(600), await began(1_499)]).toEqual([1, 1, 2, 2])
})

test('a search that fails after a page says so, unless the error stays or is the whole shop', async () => {
  const shop = createShop()
  shop.fail(1)
  expect((await shop.find('a')).found).toBe(silent)
  shop.fail(3)
  expect((await shop.find('a')).found).toMatchObject({ name: 'UnfinishedLookError', code: 'cut', cause: silent })
  expect((await shop.find('a')).found).toBeInstanceOf(UnfinishedLookError)
  const gone = new RetryLaterError('no connection', { scope: 'destination' })
  const refused = new PermanentError('not allowed', { code: 'http-403' })
  for (const error of [gone, refused, new TypeError('a bug')]) {
    shop.fail(3, error)
    expect((await shop.find('b')).found).toBe(error)
  }
})

const BEGIN = Date.UTC(2026, 10, 28, 12)
const PAGE = 50

/** As Vendure on PostgreSQL dates changes: finer than a second. */
const ORDERS = Array.from({ length: 120 }, (_, index) => ({ id: String(index), changedAt: BEGIN + index * 13 }))

test('When more orders than two pages hold change within two seconds, then a poll comes to the last of them', async () => {
  const poll = createOrderPoll<(typeof ORDERS)[number]>(
    {
      async read(after, page) {
        const left = ORDERS.filter(({ changedAt }) => changedAt >= after)
        return { orders: left.slice((page - 1) * PAGE, page * PAGE), more: left.length > page * PAGE }
      },
      changedAt: ({ changedAt }) => changedAt,
      itemsOf: ({ id }) => [{ resource: 'orders', key: id, theirId: id, place: null, value: {} }],
    },
    () => BEGIN + 60_000,
  )
  const found = new Set<string>()
  let cursor: string | null = null
  for (let page = 1; page <= 20; page += 1) {
    const answer: Awaited<ReturnType<typeof poll>> = await poll(cursor, { signal: AbortSignal.timeout(20_000) })
    for (const { key } of answer.items) found.add(key)
    cursor = answer.cursor
    if (!answer.more) break
  }
  expect(found.size).toBe(ORDERS.length)
})
