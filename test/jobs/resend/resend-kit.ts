import type { Inbox } from '../../../src/ingest/accept.ts'
import type { Incoming } from '../../../src/ingest/parse.ts'
import { resendFailedJob } from '../../../src/jobs/resend-failed.ts'
import type { WithoutList } from '../../../src/jobs/subscriptions/decide.ts'
import { createStandingClock } from '../engine/fixed-clock.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { createMemoryPlatform, type MemoryPlatform } from '../memory-platform.ts'

/** The job beside a hub of which nothing is there but what it has seen and taken. */
export function alone({
  page = Infinity,
  inbox,
  withoutList,
}: {
  page?: number
  inbox?: Pick<Inbox, 'accept'>
  withoutList?: WithoutList
} = {}) {
  const clock = createStandingClock('2026-11-20T12:00:00Z')
  const line = { up: false }
  const accept: { answer: Error | null; quarantines: boolean } = { answer: null, quarantines: false }
  const taken: Incoming[] = []
  const seen = new Set<string>()
  const { logger, lines } = createTestLogger()
  const platform = createMemoryPlatform({ page, send: async () => (line.up ? 202 : 503) })
  const url = 'https://hub.example.com/webhooks/SaleCreated/all?token=t'
  platform.subscribed.push({ id: '1', event: 'SaleCreated', url, storeId: null })
  const windows: { from: number; to: number; includePayload?: boolean }[] = []
  const { list } = platform.events
  platform.events.list = (query, signal) => {
    // Else it learns the clock of the log.
    if (query.success !== undefined) windows.push(query)
    return list(query, signal)
  }
  const job = resendFailedJob({
    platform,
    inbox: inbox ?? {
      async accept(incoming) {
        if (accept.answer) throw accept.answer
        taken.push(incoming)
        if (accept.quarantines) return { status: 'quarantined', id: taken.length }
        seen.add(incoming.transportKey ?? '')
        return { status: 'accepted', id: taken.length, unrouted: true, submission: null, sameKeyAs: null }
      },
    },
    seen: async (ids) => new Set(ids.filter((id) => seen.has(id))),
    publicUrl: 'https://hub.example.com',
    ...(withoutList && { withoutList }),
    clock,
    logger,
  })
  return { platform, clock, line, accept, taken, seen, lines, windows, job: createRunner(job, clock.now) }
}

export function resends({ calls }: MemoryPlatform): number {
  return calls.filter((call) => call.startsWith('resend')).length
}

export function failing(begin: string, error: Error): (call: string) => void {
  return (call) => {
    if (call.startsWith(begin)) throw error
  }
}
