import { expect, test } from 'vitest'
import { startPlatform } from '../../../sandbox/platform/platform.ts'
import type { JobStatus } from '../../../src/domain/health/job-status.ts'
import { toldBy } from '../../admin/health-kit.ts'
import { createTestClock } from '../../clock.ts'
import { eventually } from '../../eventually.ts'
import { createFolder, startTestHub, type TestHub } from '../../hub.ts'
import { logged, saleNo } from '../../queue/kit/kit.ts'

const KEYS = { apiKey: 'key-of-the-user', subscriptionKey: 'key-of-the-company' }
const HOUR = 3_600_000
const MINUTE = 60_000

test('When config has the store closed, then it is not quiet, however busy it has been at this hour; when its hours are given otherwise, it is', async () => {
  await using platform = await startPlatform(KEYS)
  await using folder = await createFolder()
  const clock = createTestClock()
  const start = (inactivity: object) =>
    startTestHub({
      clock,
      folder: folder.path,
      config: { platform: { baseUrl: platform.url, ...KEYS, trustWebhooks: true }, inactivity },
    })
  const look = async (hub: TestHub) => (await hub.admin<JobStatus>('jobs/inactivity/run', {})).body.note
  const always = (hours: string) => ({ hours: { NO: { week: { 'mon-sun': hours } } } })
  let no = 0
  {
    await using hub = await startTestHubAndStores(() => start(always('00:00-24:00')))
    await look(hub)
    for (let week = 0; week < 3; week += 1) {
      for (let step = 0; step < 18; step += 1) {
        for (let sale = 0; sale < 5; sale += 1) {
          no += 1
          await hub.post('SaleCreated', saleNo(no))
        }
        await look(hub)
        clock.advance(10 * MINUTE)
      }
      clock.advance(7 * 24 * HOUR - 3 * HOUR)
    }
    await hub.post('SaleCreated', saleNo(9_999))
    await look(hub)
    clock.advance(2 * HOUR)
    expect(await look(hub)).toContain('quiet: store')
  }
  await using hub = await startTestHubAndStores(() => start(always('closed')))
  expect(await look(hub)).toContain('nothing is quiet')
}, 60_000)

test('When a store that has been busy at this hour for three weeks goes quiet, then status says so, and stops when it speaks', async () => {
  await using platform = await startPlatform(KEYS)
  const clock = createTestClock()
  await using hub = await startTestHub({
    clock,
    config: { platform: { baseUrl: platform.url, ...KEYS, trustWebhooks: true } },
  })
  await eventually(() => expect(logged(hub, 'job.done').some(({ job }) => job === 'stores')).toBe(true))
  const look = async () => (await hub.admin<JobStatus>('jobs/inactivity/run', {})).body
  const silent = async () => (await toldBy(hub)).filter(({ area }) => area === 'inactivity')
  let no = 0
  const busy = async () => {
    for (let step = 0; step < 18; step += 1) {
      for (let sale = 0; sale < 5; sale += 1) {
        no += 1
        await hub.post('SaleCreated', saleNo(no))
      }
      await look()
      clock.advance(10 * MINUTE)
    }
  }

  await look()
  for (let week = 0; week < 3; week += 1) {
    await busy()
    clock.advance(7 * 24 * HOUR - 3 * HOUR)
  }
  await hub.post('SaleCreated', saleNo(9_999))
  expect((await look()).note).toBe('1 kind of stores learned; nothing is quiet')
  expect(await silent()).toEqual([])
  clock.advance(2 * HOUR)
  await look()
  expect(await silent()).toMatchObject([{ state: 'problem', name: expect.stringMatching(/^store \d+$/) }])

  await hub.post('SaleCreated', saleNo(10_000))
  await look()
  expect(await silent()).toEqual([])
}, 60_000)

async function startTestHubAndStores(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start()
  await eventually(() => expect(logged(hub, 'job.done').some(({ job }) => job === 'stores')).toBe(true))
  return hub
}
