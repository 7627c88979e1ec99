import { expect, test } from 'vitest'
import type { Inbox } from '../../../src/ingest/accept.ts'
import { createPulls, type Pulling } from '../../../src/jobs/all.ts'
import type { Platform } from '../../../src/platform/platform.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { startTestHub } from '../../hub.ts'
import { createTestLogger } from '../engine/run.ts'

test.each<[string, Partial<Pulling>, string[]]>([
  ['everything', {}, ['settlements', 'stock-levels', 'stock-movements', 'sales-lines', 'goods-deliveries']],
  ['stock alone', { mirrored: 'stock' }, ['settlements', 'stock-levels', 'stock-movements']],
  ['nothing', { mirrored: null }, ['settlements', 'stock-movements']],
])('when %s is mirrored, then what it needs is pulled', (_, given, names) => {
  expect(jobsOf(given).names).toEqual(names)
})

test('when nobody wants a kind, then nobody asks for it', () => {
  const wanted = (kind: string) => kind === 'StockMovementCreated' || kind === 'DeliveryUpdated'

  expect(jobsOf({ wanted }).names).toEqual(['stock-movements', 'goods-deliveries'])
})

test('when config does not name the column of the id, or the platform has no list of deliveries, then these are left out, and the log says why', () => {
  const { names, lines } = jobsOf({ pulls: { days: 7, movementColumns: {} }, listsDeliveries: false })

  expect(names).toEqual(['settlements', 'stock-levels', 'sales-lines'])
  expect(lines).toMatchObject([
    { msg: 'job.left-out', job: 'stock-movements', lacks: 'pulls.movementColumns.id' },
    { msg: 'job.left-out', job: 'goods-deliveries', lacks: 'platform.endpoints.goodsDeliveries.list' },
  ])
})

for (const [preset, endpoints, has] of [
  ['spec', {}, true],
  ['frontsystems-v2', {}, false],
  ['frontsystems-v2', { 'goodsDeliveries.list': { path: '/api/Orders' } }, true],
] as const)
  test(`when the platform speaks ${preset}, then a hub has a list of deliveries, or none`, async () => {
    const clock = createTestClock()
    await using hub = await startTestHub({
      clock,
      config: {
        platform: { preset, endpoints, baseUrl: 'http://127.0.0.1:9', apiKey: 'key', subscriptionKey: 'key' },
        mirror: 'all',
        jobs: { 'sales-lines': '0 4 * * *' },
      },
    })

    const listed = await eventually(() => hub.admin<{ jobs: { name: string; schedule: string }[] }>('jobs'))
    expect(listed.body.jobs.some(({ name }) => name === 'goods-deliveries')).toBe(has)
    expect(listed.body.jobs.find(({ name }) => name === 'sales-lines')?.schedule).toBe('0 4 * * *')
  })

function jobsOf(given: Partial<Pulling>) {
  const { logger, lines } = createTestLogger()
  const jobs = createPulls({
    platform: {} as Platform,
    storage: {} as Storage,
    inbox: {} as Inbox,
    mirrored: 'all',
    soldFrom: [],
    listsDeliveries: true,
    pulls: { days: 7, movementColumns: { id: 'STOCKMOVEMENTID' } },
    clock: createTestClock(),
    logger,
    ...given,
  })
  return { names: jobs.map(({ name }) => name), lines }
}
