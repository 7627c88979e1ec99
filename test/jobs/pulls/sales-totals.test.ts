import { afterAll, beforeAll, expect, test } from 'vitest'
import { salesTotalsJob } from '../../../src/jobs/pulls/sales-totals.ts'
import { createPlatform } from '../../../src/platform/create-platform.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import { listed } from '../../listed.ts'
import { createRunner, createTestLogger, type Runner } from '../engine/run.ts'
import { DAY } from '../kit.ts'
import { openPulled, type Pulled } from './pull-kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }

let the: Pulled
let client: Platform
const logged = createTestLogger()
beforeAll(async () => {
  the = await openPulled('2026-11-20T09:00:00Z', { days: 3 })
  client = createPlatform({ preset: 'frontsystems-v2', baseUrl: the.platform.url, ...KEYS })
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await the[Symbol.asyncDispose]()
})

/** The job, with what the platform has added up as it is, or otherwise. */
function job(change: Partial<Platform['aggregates']> = {}): Runner {
  const { store } = the.hub.hub
  return createRunner(
    salesTotalsJob({ platform: { aggregates: { ...client.aggregates, ...change } }, store, logger: logged.logger }),
    the.clock.now,
  )
}

test('when a day is over and its lines were read, then they agree with what the platform has added up', async () => {
  the.platform.actions.sell({ store: '101', lines: [{ sku: 'TEE-BLK-M', quantity: 2 }] })
  the.platform.actions.sell({ store: '201', sku: 'COAT-NVY-M' })
  the.platform.actions.returnGoods({ store: '101', sku: 'TEE-BLK-M', quantity: 1 })
  the.clock.advance(DAY)
  await the.run('sales-lines')
  await the.quiet()

  expect(await job().run()).toBe('1 day: 2 store days, 0 other than the lines')
})

test('when a sale is missing among the lines, then it is counted at first, and the next morning it is a problem that names store and day', async () => {
  const [line] = (await the.mirror('sales-lines')).filter(({ place }) => place === '201')
  const totals = job({
    list: async (query) =>
      listed(
        (await client.aggregates.list(query)).rows.map((one) =>
          one.storeId === '51' ? { ...one, quantity: '2' as never } : one,
        ),
      ),
  })
  expect(await totals.run()).toBe('1 day: 2 store days, 1 other than the lines')

  const problem = await totals.run().catch((error: unknown) => error)
  expect(problem).toMatchObject({
    code: 'sales-differ',
    message: expect.stringMatching(/^store 51 2026-11-20: the platform has 2 pieces for .*, and the lines 1 for /),
  })
  expect(line?.body.quantity).toBe('1')
})

test('when the platform has not added up a day yet, then nothing is said of it', async () => {
  expect(await job({ list: async () => listed([]) }).run()).toBe('0 days: 0 store days, 0 other than the lines')
})

test('when it was a till that was late, then the difference is gone the next time, and nobody is bothered', async () => {
  let late = true
  const totals = job({
    list: async (query) =>
      listed(
        (await client.aggregates.list(query)).rows.map((one) => (late ? { ...one, quantity: '9' as never } : one)),
      ),
  })
  expect(await totals.run()).toContain('2 other than the lines')
  late = false
  expect(await totals.run()).toContain('0 other than the lines')
})
