import { expect, test } from 'vitest'
import { reconcileLogJob } from '../../../src/jobs/reconciliation/reconcile-log.ts'
import { listed } from '../../listed.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { createMemoryStorage } from './memory-storage.ts'

const MINUTE = 60_000

function given(start: string) {
  let now = Date.parse(start)
  const inbox = new Set<string>()
  const storage = createMemoryStorage(inbox)
  const log: { webhookEventId: string; createdAt: number; status: string; statusCode: number; success: boolean }[] = []
  const platform = { isMute: false }
  const job = reconcileLogJob({
    platform: {
      webhooks: {
        list: async () =>
          listed([
            {
              id: 'w',
              event: 'SaleCreated',
              url: 'https://hub.example/webhooks/SaleCreated/all?token=t',
              storeId: null,
            },
          ]),
      },
      events: {
        list: async ({ from, to }: { from: number; to: number }) =>
          listed(platform.isMute ? [] : log.filter(({ createdAt }) => createdAt >= from && createdAt < to)),
        get: async () => null,
      },
    } as never,
    ...{ storage: storage as never, inbox: { accept: async () => ({ status: 'accepted', id: 1 }) } as never },
    ...{ publicUrl: 'https://hub.example', keyed: true, rate: undefined },
    ...{ clock: { now: () => now } as never, logger: createTestLogger().logger },
  })
  const runner = createRunner(job, () => now)
  const problems: string[] = []
  return {
    platform,
    problems,
    now: () => now,
    sell({ lost = false } = {}) {
      const webhookEventId = `e${log.length}`
      log.push({ webhookEventId, createdAt: now, status: 'OK', statusCode: 200, success: !lost })
      if (!lost) inbox.add(webhookEventId)
    },
    async pass(until: string) {
      while (now < Date.parse(until)) {
        now += 30 * MINUTE
        await runner.run().catch((error: Error) => problems.push(error.message))
      }
    },
    gaps: () => storage.gaps({ state: 'open' }, 0, 10),
    provenTo: async () => (await storage.watermarks()).find(({ level }) => level === 'log')?.until ?? 0,
  }
}

test('A log that shows nothing since a Sunday without trade is not believed: what came on Friday is still to be in it', async () => {
  const the = given('2026-11-20T08:00:00Z')
  the.sell()
  await the.pass('2026-11-20T17:00:00Z')
  the.sell()
  await the.pass('2026-11-23T08:00:00Z')
  expect(the.problems).toEqual([])
  // On Monday it answers 200 and [] for every question: by its own rule it would keep Friday for a week.
  the.platform.isMute = true
  const muteFrom = the.now()
  for (const hour of ['09', '10', '11']) {
    the.sell()
    the.sell({ lost: true })
    await the.pass(`2026-11-23T${hour}:00:00Z`)
  }
  expect(await the.provenTo()).toBeLessThanOrEqual(muteFrom)
})

test('When a log has never shown anything, then it proves nothing; what it shows in the end proves the time since its subscription', async () => {
  const the = given('2026-11-20T08:00:00Z')
  the.platform.isMute = true
  await the.pass('2026-11-20T09:00:00Z')
  the.sell()
  the.sell({ lost: true })
  await the.pass('2026-11-22T12:00:00Z')
  expect(the.problems).toEqual([])
  expect(await the.provenTo()).toBeLessThan(Date.parse('2026-11-20T09:00:00Z'))
  expect(await the.gaps()).toEqual([])

  the.platform.isMute = false
  await the.pass('2026-11-22T13:00:00Z')
  expect(await the.gaps()).toMatchObject([{ subject: 'e1' }])
  expect(await the.provenTo()).toBe(Date.parse('2026-11-20T09:00:00Z'))
})
