import { describe, expect, test } from 'vitest'
import { changesOf, settlementsJob, soldOn } from '../../../src/jobs/pulls/events-by-day.ts'
import { storesJob } from '../../../src/jobs/pulls/stores.ts'
import { subscriptionsJob } from '../../../src/jobs/subscriptions/subscriptions.ts'
import type { Unreadable } from '../../../src/platform/http/read.ts'
import type { SalesLine } from '../../../src/platform/resources/sales.ts'
import type { StoredStore } from '../../../src/storage/rows.ts'
import { listed } from '../../listed.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { DAY, HOUR } from '../kit.ts'
import { createMemoryPlatform, type MemoryPlatform } from '../memory-platform.ts'
import { alone } from '../resend/resend-kit.ts'

const HUB = 'https://hub.example.com'

function bad(why: string, record: object = {}): Unreadable {
  return { row: 2, why, record }
}

describe('subscriptions', () => {
  // As the public API shows one: `event` and `url` may be null.
  const foreign = { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', storeId: 0, event: null, url: null, retired: true }

  test('when a foreign one has neither event nor URL, then ours are subscribed, and what is lost is sent again', async () => {
    const { platform, job: resend, line } = alone()
    keepAside(platform, [bad('has no event', foreign)])
    await platform.emit('SaleCreated', {}, Date.parse('2026-11-20T11:00:00Z'))
    line.up = true

    expect(await resend.run()).toBe('1 subscription: 1 sent again, 1 row rejected')
    expect(await subscribe(platform).run()).toBe('1 as they should be, 1 row rejected')
  })

  test.each([
    ['has our URL and no id', { event: 'SaleCreated', url: `${HUB}/webhooks/SaleCreated/all?token=x` }],
    ['calls its URL otherwise', { id: '1', event: 'SaleCreated', callbackUrl: HUB }],
  ])('when one that %s may be ours, then no second one is made', async (_, record) => {
    const platform = createMemoryPlatform({ kinds: ['SaleCreated', 'CustomerUpdated'] })
    keepAside(platform, [bad('cannot be read', record)])

    expect(await subscribe(platform).run()).toMatch(
      /^1 created; may be among those .*not subscribed again: SaleCreated, /,
    )
    expect(platform.subscribed.map(({ event }) => event)).toEqual(['CustomerUpdated'])
  })

  test('when rows of the log cannot be read, then its checkpoint waits for them, for seven days; then a person is told', async () => {
    const { platform, job, clock, windows, lines } = alone()
    await job.run()
    const { list } = platform.events
    platform.events.list = async (query, signal) => {
      const answer = await list(query, signal)
      return { ...answer, rejected: query.from <= began && began <= query.to ? [bad('has no webhookEventId')] : [] }
    }
    const began = clock.now() + HOUR
    clock.pass(2 * HOUR)
    await job.run()

    for (let day = 0; day < 6; day++) {
      clock.pass(DAY)
      windows.length = 0
      expect(await job.run()).toMatch('1 row rejected')
      expect(windows[0]?.from).toBeLessThanOrEqual(began)
    }
    expect(lines.filter(({ msg }) => msg === 'rows.given-up')).toEqual([])
    clock.pass(2 * DAY)
    await job.run()
    await job.run()

    expect(lines.filter(({ msg }) => msg === 'rows.given-up')).toMatchObject([
      {
        level: 50,
        job: 'resend-failed',
        window: expect.stringMatching('SaleCreated'),
        why: expect.stringMatching('has no webhookEventId'),
      },
    ])
    windows.length = 0
    await job.run()
    expect(windows[0]?.from).toBeGreaterThan(began)
  })

  function subscribe(platform: MemoryPlatform) {
    const wanted = { publicUrl: HUB, subscription: 'all', token: 't', kinds: 'all' as const }
    return createRunner(
      subscriptionsJob({ platform, isListProven: async () => true, wanted, logger: createTestLogger().logger }),
    )
  }

  function keepAside(platform: MemoryPlatform, rejected: Unreadable[]): void {
    const { list } = platform.webhooks
    platform.webhooks.list = async (signal) => listed((await list(signal)).rows, rejected)
    const { types } = platform.webhooks
    platform.webhooks.types = async (signal) => {
      const { rows } = await types(signal)
      return listed(rows.length > 0 ? rows : ['SaleCreated'])
    }
  }
})

test('stores: when a store cannot be read, then it stays as it was, and the others are renewed', async () => {
  const platform = createMemoryPlatform({ stores: [store('42', 'Oslo City')] })
  platform.stores.list = async () => listed([store('42', 'Oslo Sentrum')], [bad('has no StoreId')])
  const saved: string[][] = []
  const known = [store('42', 'Oslo City'), store('43', 'Bergen'), { ...store('44', 'Gone'), goneAt: 1 }]
  const job = createRunner(
    storesJob({
      platform,
      save: async (records) => void saved.push(records.map(({ name }) => name ?? '')),
      known: async () => known,
      saveDetails: async () => {},
      logger: createTestLogger().logger,
    }),
  )

  expect(await job.run()).toBe('1 stores, 1 row rejected')
  expect(saved).toEqual([['Oslo Sentrum', 'Bergen']])
})

describe('what is pulled', () => {
  test('when a settlement of a day cannot be read, then the others are taken, and the day is asked for again until it can be', async () => {
    const asked: string[] = []
    const taken: object[] = []
    let now = Date.parse('2026-11-20T05:30:00Z')
    let rejected = [bad('has no Currency')]
    const { logger } = createTestLogger()
    const job = createRunner(
      settlementsJob({
        platform: {
          settlements: {
            async list({ day }) {
              asked.push(day)
              return listed(
                day === '2026-11-19' ? [{ record: { SETTLEMENTID: 1 } } as never] : [],
                day === '2026-11-19' ? rejected : [],
              )
            },
          },
        },
        storage: { stores: async () => [store('42', 'Oslo City')], mirrorRows: async () => [] },
        ingest: {
          async take(_, payloads) {
            taken.push(...payloads)
            return { news: payloads.length, rejected: [] }
          },
          announce: async () => 0,
        },
        mirrored: false,
        back: { days: 1 },
        logger,
      }),
      () => now,
    )

    expect(await job.run()).toBe('2 days: 1 settlement, 1 new, 1 row rejected')
    now += 4 * DAY
    await job.run()
    rejected = []
    await job.run()
    await job.run()
    // Besides the days that each run reads.
    expect(asked.filter((day) => day === '2026-11-19')).toHaveLength(3)
    expect(taken).toHaveLength(3)
  })

  test('when a sales line cannot be read, then no hour that was known is told without it; others are', () => {
    const line = (hour: string, lineId: string, storeId = '42') =>
      ({
        storeId,
        lineId,
        soldAt: `2026-11-20T${hour}:10:00`,
        quantity: '1',
        unitPrice: '10',
        currency: 'NOK',
      }) as SalesLine
    const day = '2026-11-20'
    const complete = changesOf(
      day,
      {},
      soldOn(day, [line('09', 'a'), line('09', 'b'), line('10', 'c')], () => null),
    )
    const lacking = soldOn(day, [line('09', 'a'), line('10', 'c'), line('10', 'd'), line('11', 'e')], () => null)
    const partial = changesOf(day, complete.found, lacking, true)
    expect(partial.changed.map(({ hour }) => hour)).toEqual(['11'])
    expect(partial).toMatchObject({ emptied: [], found: complete.found })

    const nothing = changesOf(
      day,
      complete.found,
      soldOn(day, [], () => null),
      true,
    )
    expect(nothing).toMatchObject({ changed: [], emptied: [], found: complete.found })
  })
})

function store(storeId: string, name: string): StoredStore {
  const place = { number: storeId, stockId: '12', countryCode: 'NO', currency: 'NOK', zone: 'Europe/Oslo' }
  return { storeId, name, ...place, goneAt: null }
}
