import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHandover } from '../../../src/jobs/pulls/handover.ts'
import { stockCountsJob } from '../../../src/jobs/pulls/stock-counts.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { inboxOf } from '../../inbox/inbox-of.ts'
import { listed } from '../../listed.ts'
import { createRunner, createTestLogger, type Runner } from '../engine/run.ts'
import { HOUR } from '../kit.ts'
import { openPulled, type Pulled, said } from './pull-kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const KIND = 'StockCountReconciled'

let the: Pulled
let client: Platform
let job: Runner
let unreadable: string | null = null
beforeAll(async () => {
  the = await openPulled('2026-11-20T09:00:00Z', { days: 3 })
  client = createPlatform({ preset: 'frontsystems-v2', baseUrl: the.platform.url, ...KEYS })
  const { store } = the.hub.hub
  const { logger } = createTestLogger()
  const handover = createHandover({ inbox: inboxOf(the.hub), clock: the.clock, logger })
  const counts: Platform['counts'] = {
    ...client.counts,
    list: async (page) => {
      const { rows } = await client.counts.list(page)
      const isBroken = ({ countId }: { countId: string }) => countId === unreadable
      const aside = rows.filter(isBroken).map((record) => ({ row: 1, why: 'has no stockCountId', record }))
      return listed(
        rows.filter((row) => !isBroken(row)),
        aside,
      )
    },
  }
  job = createRunner(stockCountsJob({ platform: { counts }, store, handover, back: { days: 3 } }), the.clock.now)
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await the[Symbol.asyncDispose]()
})

const countIds = () => the.events(KIND).map((kept) => said(kept).stockCountId)

test('when a count was pushed, then the list has no news', async () => {
  the.platform.actions.countStock({ stock: '101', sku: 'TEE-BLK-M', quantity: 7 })
  await the.quiet()
  expect(await job.run()).toBe('1 count: 0 with news, 0 waiting')
  expect(countIds()).toHaveLength(1)
})

test('when the webhook of a count got lost, then the next run but one tells of it, once', async () => {
  the.lose(true)
  const { stockCountId } = the.platform.actions.countStock({ stock: '102', sku: 'TEE-BLK-M', quantity: 4 }) as {
    stockCountId: number
  }
  await the.platform.settled()
  the.lose(false)
  // It may be on its way.
  expect(await job.run()).toBe('2 counts: 0 with news, 1 waiting')
  the.clock.advance(HOUR)
  expect(await job.run()).toBe('2 counts: 1 with news, 0 waiting')
  expect(await job.run()).toBe('2 counts: 0 with news, 0 waiting')

  const told = the.events(KIND).find((kept) => said(kept).stockCountId === stockCountId)
  expect(told).toMatchObject({ subscription: 'pulled' })
  expect(told && said(told)).toMatchObject({
    stockId: 13,
    stockExtId: '102',
    items: [{ gtin: '7090012340011', quantity: 4 }],
  })
})

test('when a webhook is late by less than an hour, then the list tells nothing twice', async () => {
  the.lose(true)
  const { stockCountId } = the.platform.actions.countStock({ stock: '201', sku: 'TEE-BLK-M', quantity: 2 }) as {
    stockCountId: number
  }
  await the.platform.settled()
  the.lose(false)
  expect(await job.run()).toBe('3 counts: 0 with news, 1 waiting')
  await the.run('resend-failed')
  await the.quiet()
  expect(await job.run()).toBe('3 counts: 0 with news, 0 waiting')
  expect(countIds().filter((id) => id === stockCountId)).toHaveLength(1)
})

test('when a row of the list cannot be read, then the others are taken, and its count is told once it can be', async () => {
  the.lose(true)
  const { stockCountId } = the.platform.actions.countStock({ stock: '202', sku: 'TEE-BLK-M', quantity: 3 }) as {
    stockCountId: number
  }
  await the.platform.settled()
  the.lose(false)
  unreadable = String(stockCountId)
  for (let run = 0; run < 2; run++) expect(await job.run()).toBe('3 counts: 0 with news, 0 waiting, 1 row aside')
  unreadable = null
  expect(await job.run()).toBe('4 counts: 0 with news, 1 waiting')
  expect(await job.run()).toBe('4 counts: 1 with news, 0 waiting')
})
