import { expect, test } from 'vitest'
import { StorageUnavailableError } from '../../../src/domain/values/errors.ts'
import { shopOrdersJob } from '../../../src/jobs/pulls/shop-orders.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import type { IntakeItem } from '../../../src/ports/ports.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'

type Poll = (cursor: string | null) => Promise<{ items: IntakeItem[]; cursor: string; more: boolean; problem?: string }>

function item(key: string): IntakeItem {
  return { resource: 'orders', key, theirId: null, place: '102', value: { orderNo: key } }
}

/** Pages of a shop: a cursor says how many were read. */
function paged(pages: readonly string[][]): Poll {
  return async (cursor) => {
    const page = Number(cursor ?? 0)
    const next = Math.min(page + 1, pages.length)
    return { items: (pages[page] ?? []).map(item), cursor: String(next), more: next < pages.length }
  }
}

/** The job over these shops, before a hub that notes what it takes, once a key. */
function jobOver(shops: Record<string, Poll | undefined>, clock: Pick<Clock, 'now'> = systemClock) {
  const taken: string[] = []
  const { logger, lines } = createTestLogger()
  const given = { refusal: null as Error | null }
  const job = shopOrdersJob({
    systems: Object.entries(shops).map(([name, poll]) => ({ name, intake: poll === undefined ? {} : { poll } })),
    async take(shop, items) {
      if (given.refusal) throw given.refusal
      return items.map(({ key }) => {
        const name = `${shop}/${key}`
        if (taken.includes(name)) return { status: 'duplicate', faults: [] }
        taken.push(name)
        return { status: key.startsWith('bad') ? 'quarantined' : 'accepted', faults: [] }
      })
    },
    clock,
    logger,
  })
  return { job, taken, lines, given }
}

test('When shops have news, then all pages are taken, and the next run begins behind them', async () => {
  const shop = paged([['1', '2'], ['3'], ['bad 4']])
  const asked: (string | null)[] = []
  const the = jobOver({
    shop: (cursor) => {
      asked.push(cursor)
      return shop(cursor)
    },
    other: paged([['5']]),
    pushing: undefined,
  })
  const { run } = createRunnerOf(the)
  expect(await run()).toBe('shop: 3 new, 1 unreadable; other: 1 new')
  expect(the.taken).toEqual(expect.arrayContaining(['shop/1', 'shop/2', 'shop/3', 'shop/bad 4', 'other/5']))
  expect(await run()).toBe('nothing new')
  expect(asked).toEqual([null, '1', '2', '3'])
})

test('When one shop fails, then the others are read all the same, and it is asked again from where it was', async () => {
  const shop = paged([['1'], ['2']])
  const down = { page: '1' as string | null }
  const the = jobOver({
    shop: async (cursor) => {
      if (cursor === down.page) throw new Error('it is closed')
      return await shop(cursor)
    },
    other: paged([['5']]),
  })
  const { run } = createRunnerOf(the)
  await expect(run()).rejects.toMatchObject({
    name: 'RetryLaterError',
    code: 'shop-orders-incomplete',
    message: 'shop: it is closed. Of the others: other: 1 new',
  })
  down.page = null
  expect(await run()).toBe('shop: 1 new')
  expect(the.taken.toSorted()).toEqual(['other/5', 'shop/1', 'shop/2'])
})

test('When the hub dies between a page and its cursor, then the page is read again, and nothing is taken twice', async () => {
  const the = jobOver({ shop: paged([['1'], ['2']]) })
  const dies = async () => {
    throw new Error('killed')
  }
  const state = { cursors: {}, connected: { shop: 0 } }
  const cut = the.job.run({ now: 0, asked: false, signal: new AbortController().signal, state, save: dies })
  await expect(cut).rejects.toThrow('killed')
  expect(the.taken).toEqual(['shop/1'])
  expect(await createRunnerOf(the).run()).toBe('shop: 1 new')
  expect(the.taken).toEqual(['shop/1', 'shop/2'])
})

test('When the hub cannot write, then the cursor stays', async () => {
  const the = jobOver({ shop: paged([['1']]) })
  const runner = createRunnerOf(the)
  the.given.refusal = new StorageUnavailableError('the disk is full')
  await expect(runner.run()).rejects.toBe(the.given.refusal)
  the.given.refusal = null
  expect(await runner.run()).toBe('shop: 1 new')
})

test('When a shop never ends, or its cursor stands still, then a run ends nevertheless', async () => {
  const endless: Poll = async (cursor) => ({ items: [], cursor: String(Number(cursor ?? 0) + 1), more: true })
  const the = jobOver({ shop: endless })
  expect(await createRunnerOf(the).run()).toBe('nothing new')
  expect(the.lines).toMatchObject([{ msg: 'shop-orders.more-to-read', destination: 'shop' }])
  const active = jobOver({ shop: async () => ({ items: [], cursor: 'a', more: true }) })
  await expect(createRunnerOf(active).run()).rejects.toThrow('its cursor does not move')
})

const DAY = 86_400_000

test('When a shop is asked for the first time, or only pushes, then it is remembered before it is read since when it is connected', async () => {
  let seen: unknown = null
  let now = 100 * DAY
  const the = jobOver(
    {
      shop: async () => {
        seen ??= runner.state
        return { items: [], cursor: 'a', more: false }
      },
      pushing: undefined,
    },
    { now: () => now },
  )
  const runner = createRunnerOf(the)
  await runner.run()
  const connected = { shop: now, pushing: now }
  expect(seen).toEqual({ cursors: {}, connected })
  now += DAY
  await runner.run()
  expect(runner.state).toEqual({ cursors: { shop: 'a' }, connected })
})

test('When a shop was asked before that was remembered, then it was connected a month ago at the latest', async () => {
  const runner = createRunnerOf(jobOver({ shop: paged([[]]) }, { now: () => 100 * DAY }))
  runner.state = { cursors: { shop: '1' } }
  await runner.run()
  expect(runner.state).toMatchObject({ connected: { shop: 70 * DAY } })
})

function createRunnerOf({ job }: ReturnType<typeof jobOver>) {
  return createRunner(job)
}

test('a shop that says a problem of its own is read all the same, and the run ends with the problem and the name of the shop', async () => {
  const asked: (string | null)[] = []
  const the = jobOver({
    shop: async (cursor) => {
      asked.push(cursor)
      return { items: [item('1')], cursor: 'next', more: false, problem: 'its webhook order.updated (2) is turned off' }
    },
    other: paged([['5']]),
  })
  const { run } = createRunnerOf(the)
  await expect(run()).rejects.toThrow(
    'shop: its webhook order.updated (2) is turned off. Of the others: shop: 1 new; other: 1 new',
  )
  expect(the.taken).toEqual(expect.arrayContaining(['shop/1', 'other/5']))
  await expect(run()).rejects.toThrow('is turned off')
  expect(asked).toEqual([null, 'next'])
})
