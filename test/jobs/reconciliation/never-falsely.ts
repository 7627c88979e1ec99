import fc from 'fast-check'
import { completenessOf, verdictOf } from '../../../src/domain/completeness/completeness.ts'
import { RetryLaterError } from '../../../src/domain/values/errors.ts'
import { reconcileLogJob } from '../../../src/jobs/reconciliation/reconcile-log.ts'
import type { EventRecord, Platform } from '../../../src/platform/platform.ts'
import { listed } from '../../listed.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { createMemoryStorage } from './memory-storage.ts'

const MINUTE = 60_000
const START = Date.parse('2026-11-20T12:00:00Z')

/** A record: when it arose by the platform's clock, when the log shows it, and what became of it. */
const Written = fc.record({
  at: fc.integer({ min: -90, max: 300 }),
  /** Minutes until the log shows it: sooner than the lag, mostly. */
  late: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ max: 10, min: 1 }) },
    fc.integer({ min: 16, max: 59 }),
  ),
  fate: fc.constantFrom('arrives', 'arrives', 'fails', 'claimed', 'lost-2xx'),
})

const Story = fc.record({
  records: fc.array(Written, { maxLength: 25 }),
  /** Minutes between scans, and whether each fails, and at which question. */
  scans: fc.array(
    fc.record({ after: fc.integer({ min: 1, max: 50 }), failsAt: fc.option(fc.integer({ min: 1, max: 4 })) }),
    { minLength: 1, maxLength: 10 },
  ),
  page: fc.constantFrom(100, 1_000),
  /** Minutes that the platform's clock is ahead of the hub's. */
  ahead: fc.integer({ min: -4, max: 10 }),
  gives: fc.boolean(),
  /** Minutes after the start, also of long before anybody looked: is all of that time here, or all until its end? */
  asked: fc.array(fc.record({ from: fc.integer({ min: -500, max: 300 }), long: fc.integer({ min: 1, max: 400 }) }), {
    maxLength: 6,
  }),
})

/**
 * Whatever the log is like: where reconcile-log says that all is here until T, each record of before T that the log showed when
 * it was scanned is here; and in the end, when it has shown all, each record of before T. Of time before the first look it says nothing.
 */
export function neverFalsely(numRuns: number): Promise<void> {
  return fc.assert(fc.asyncProperty(Story, tell), { numRuns })
}

async function tell({
  records,
  scans,
  page,
  ahead,
  gives,
  asked,
}: typeof Story extends fc.Arbitrary<infer Reported> ? Reported : never): Promise<void> {
  let now = START
  let fails = Number.POSITIVE_INFINITY
  const inbox = new Set<string>()
  const all = records.map(({ at, late, fate }, n) => ({
    ...{ id: `e${n}`, fate, createdAt: START + at * MINUTE },
    // By the hub's clock.
    shownAt: START + (at + late - ahead) * MINUTE,
  }))
  const storage = createMemoryStorage(inbox)
  const question = () => {
    fails -= 1
    if (fails === 0) throw new RetryLaterError('not now', { code: 'http-500' })
  }
  const platform = {
    webhooks: {
      list: async () =>
        listed([{ id: 'w', event: 'K', url: 'https://hub/webhooks/K/all?token=t', storeId: null, record: {} }]),
    },
    events: {
      async list({ from, to, includePayload }: { from: number; to: number; includePayload?: boolean }) {
        question()
        const rows = all
          .filter((one) => one.shownAt <= now && one.createdAt >= from && one.createdAt <= to)
          .slice(0, page)
          .map(({ id, createdAt, fate }): EventRecord => {
            const success = fate === 'arrives' || fate === 'claimed'
            const about = { webhookId: 'w', webhookEventId: id, createdAt, success }
            const how = { status: null, statusCode: success ? 200 : 0, runsCounter: 1, record: {} }
            return { ...about, ...how, ...(includePayload && gives && { payload: { id } }) }
          })
        return listed(rows)
      },
    },
  } as unknown as Pick<Platform, 'webhooks' | 'events'>
  const { logger } = createTestLogger()
  const job = createRunner(
    reconcileLogJob({
      ...{ platform, storage, publicUrl: 'https://hub', keyed: true, rate: undefined, logger },
      inbox: {
        async accept({ transportKey }) {
          inbox.add(transportKey ?? '')
          return { status: 'accepted', id: 1, unrouted: true, submission: null, sameKeyAs: null }
        },
      },
      clock: { now: () => now, after: () => () => {} },
    }),
    () => now,
  )
  /** Nobody has looked at anything before: neither was there a subscription that is known of, nor has the log shown a record. */
  let firstLook = Number.POSITIVE_INFINITY
  for (const { after, failsAt } of [...scans, { after: 60, failsAt: null }]) {
    now += after * MINUTE
    const shown = all.filter(({ shownAt }) => shownAt <= now).map(({ createdAt }) => createdAt)
    firstLook = Math.min(firstLook, now, ...shown)
    for (const one of all)
      if (one.shownAt <= now && (one.fate === 'arrives' || one.fate === 'lost-2xx')) inbox.add(one.id)
    fails = failsAt ?? Number.POSITIVE_INFINITY
    const went = await job.run().then(
      () => true,
      () => false,
    )
    // One that failed may leave the watermark where it was: what the log has shown since, it does not know.
    if (went) await check()
  }

  async function check(): Promise<void> {
    const [mark] = await storage.watermarks()
    if (mark === undefined) return
    const lacking = all.filter(
      ({ id, createdAt, shownAt }) =>
        createdAt >= mark.from && createdAt < mark.until && shownAt <= now && !inbox.has(id),
    )
    if (lacking.length > 0) throw new Error(`Complete until ${mark.until}, but ${JSON.stringify(lacking)} is not here.`)
    const oldest = { log: await storage.oldestGaps('log') }
    const isProven = (question: { until: number | null; since?: number }) =>
      verdictOf(completenessOf([mark], oldest, { ...question, storeId: null, now, lag: 15 * MINUTE })) === 'proven'
    for (const { from, long } of asked) {
      const [since, until] = [START + from * MINUTE, START + (from + long) * MINUTE]
      if (until <= firstLook && isProven({ until })) throw new Error(`Nobody has looked at anything before ${until}.`)
      const unknown = all.filter(
        ({ id, createdAt, shownAt }) => createdAt >= since && createdAt < until && shownAt <= now && !inbox.has(id),
      )
      if ((since < firstLook || unknown.length > 0) && isProven({ since, until }))
        throw new Error(
          `All from ${since} to ${until}, but nobody has looked, or ${JSON.stringify(unknown)} is not here.`,
        )
    }
    if (now - 2 * 60 * MINUTE - 15 * MINUTE <= firstLook && isProven({ until: null }))
      throw new Error('Nobody has looked at anything until lately.')
  }
}
