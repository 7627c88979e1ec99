import { expect, test } from 'vitest'
import { resendFailedJob } from '../../src/jobs/resend-failed.ts'
import { listed } from '../listed.ts'
import { createRunner, createTestLogger } from './engine/run.ts'

const MINUTE = 60_000
const NOW = Date.parse('2026-11-20T22:00:00Z')

test('A failed event behind a page of others that had come is sent again', async () => {
  // A proxy answered 502 although the hub had taken them: the platform lists them as failed for good.
  const had = Array.from({ length: 100 }, (_, n) => ({
    webhookEventId: `had-${n}`,
    createdAt: NOW - 90 * MINUTE + n * 1_000,
  }))
  const lost = { webhookEventId: 'lost', createdAt: NOW - 180 * MINUTE }
  const failing = [...had, lost].map((one) => ({ ...one, status: '502', statusCode: 502, success: false }))
  const sentAgain: string[] = []
  const newestFirst = (from: number, to: number) =>
    failing.filter(({ createdAt }) => createdAt >= from && createdAt < to).sort((a, b) => b.createdAt - a.createdAt)
  let now = NOW
  const job = resendFailedJob({
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
        // Pages of a hundred, newest first: paging is not documented.
        list: async ({ from, to }: { from: number; to: number }) => {
          const { rows, rejected } = listed(newestFirst(from, to).slice(0, 100))
          return { rows, rejected, answered: rows.length }
        },
        resend: async ({ webhookEventId }: { webhookEventId: string }) => void sentAgain.push(webhookEventId),
        get: async () => null,
      },
    } as never,
    ...{ inbox: { accept: async () => ({ status: 'accepted', id: 1 }) } as never, publicUrl: 'https://hub.example' },
    seen: async (ids) => new Set(ids.filter((id) => id.startsWith('had') || sentAgain.includes(id))),
    ...{ clock: { now: () => now }, logger: createTestLogger().logger },
  })
  const runner = createRunner(job, () => now)
  for (let run = 0; run < 20; run++, now += 30 * MINUTE) await runner.run()
  expect(sentAgain).toContain('lost')
})
