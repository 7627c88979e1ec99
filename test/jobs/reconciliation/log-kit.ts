import { watermarkOf } from '../../../src/domain/completeness/completeness.ts'
import type { StoredGap } from '../../../src/domain/completeness/gap.ts'
import { reconcileLogJob } from '../../../src/jobs/reconciliation/reconcile-log.ts'
import { type TestHub, WEBHOOK_TOKEN } from '../../hub.ts'
import { inboxOf } from '../../ingest/inbox-of.ts'
import { createStandingClock } from '../engine/fixed-clock.ts'
import { createRunner, createTestLogger } from '../engine/run.ts'
import { createMemoryPlatform } from '../memory-platform.ts'

const START = '2026-11-20T12:00:00Z'

/** A platform that sends to a hub over HTTP, and the job reconcile-log, at a fixed clock. */
interface Given {
  keyed?: boolean
  page?: number
  start?: string
  mappings?: Parameters<typeof reconcileLogJob>[0]['mappings']
  /** How the header writes an id of the log. */
  written?: (eventId: string) => string
  wanted?: Parameters<typeof reconcileLogJob>[0]['wanted']
}

export function beside(hub: TestHub, { keyed = true, page, start = START, written, mappings, wanted }: Given = {}) {
  const clock = createStandingClock(start)
  const { platform, line, subscribe } = sendingTo(hub, { keyed, page, written })
  subscribe('SaleCreated')
  const { logger, lines } = createTestLogger()
  const { storage } = hub.hub
  const options = {
    platform,
    storage,
    inbox: inboxOf(hub),
    publicUrl: hub.url,
    keyed,
    rate: undefined,
    clock,
    logger,
    ...(mappings && { mappings }),
    ...(wanted && { wanted }),
  }
  return {
    platform,
    line,
    clock,
    lines,
    subscribe,
    storage,
    job: createRunner(reconcileLogJob(options), clock.now),
    gaps: (): Promise<StoredGap[]> => storage.gaps({}, 0, 100),
    /** Up to where nothing is missing of a kind. */
    until: async (kind = 'SaleCreated') => watermarkOf(await storage.watermarks(), 'log', kind, null)?.until ?? null,
  }
}

/** A platform that sends to a hub over HTTP. */
export function sendingTo(
  hub: TestHub,
  {
    keyed = true,
    page = Number.POSITIVE_INFINITY,
    written = (eventId) => eventId,
  }: { [Name in 'keyed' | 'page' | 'written']?: Given[Name] | undefined } = {},
) {
  const line = { down: false, losesAnswers: false, foreign: false }
  const platform = createMemoryPlatform({
    page,
    async send({ url, eventId, payload }) {
      if (line.down) return null
      // Another receiver answers for the hub.
      if (line.foreign) return 200
      const { pathname, search } = new URL(url)
      const headers = { 'content-type': 'application/json', ...(keyed && { 'x-event-id': written(eventId) }) }
      const body = JSON.stringify(payload)
      const { status } = await hub.ask(`${pathname}${search}`, { method: 'POST', headers, body })
      return line.losesAnswers ? null : status
    },
  })
  const subscribe = (kind: string, id = kind) =>
    platform.subscribed.push({
      id,
      event: kind,
      url: `${hub.url}/webhooks/${kind}/all?token=${WEBHOOK_TOKEN}`,
      storeId: null,
    })
  return { platform, line, subscribe }
}
