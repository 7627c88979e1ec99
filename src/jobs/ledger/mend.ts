import { CAUSES } from '../../domain/ledger/causes.ts'
import type { GapChange, KeptGap } from '../../domain/ledger/gap.ts'
import { PLATFORM } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { partsOf } from '../../lib/collections.ts'
import type { Logger } from '../../lib/logger.ts'
import type { EventQuery, Platform } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'
import { allGaps } from '../../store/walk-pages.ts'
import { isAboutItem } from '../pulls/days.ts'
import { createPayloads, type Take } from '../resend/resend-subscription.ts'
import type { OwnSubscription } from '../subscriptions/known.ts'

interface Tools {
  platform: Pick<Platform, 'events'>
  store: Pick<Store, 'seen' | 'gaps' | 'saveLedger'>
  take: Take
  knowsAll: boolean
  sameClock: boolean
  logger: Logger
  turn(): Promise<void>
  signal: AbortSignal
}

const COMMIT = 100

/** Causes of gaps of single records, which the log can give. */
const TAKEN: readonly string[] = ['failed', 'claimed', 'unobtainable']

export interface Mended {
  arrived: number
  taken: number
}

/**
 * Closes open gaps whose event has come, and takes the others from the log, oldest first. Failed ones are left to `resend-failed` for one
 * run, so that the platform sees them delivered.
 */
export async function mendGaps(ours: readonly OwnSubscription[], now: Instant, tools: Tools): Promise<Mended> {
  const { platform, store, take, knowsAll, sameClock, logger, turn, signal } = tools
  const byId = new Map(ours.map((one) => [one.webhookId, one]))
  const mended: Mended = { arrived: 0, taken: 0 }
  const open = await openGaps()
  let changes: GapChange[] = []
  const payloads = new Map<string, ReturnType<typeof createPayloads>>()
  for (const some of partsOf(open, COMMIT)) {
    signal.throwIfAborted()
    const seen = await store.seen(
      PLATFORM,
      some.map(({ subject }) => subject),
    )
    for (const gap of some) {
      signal.throwIfAborted()
      if (seen.has(gap.subject)) {
        changes.push({ type: 'mend', key: gap.key, reason: 'it has come' })
        mended.arrived += 1
      } else if (gap.cause !== 'failed' || gap.firstSeenAt < now) await takeFrom(gap)
    }
    await keep()
  }
  return mended

  async function keep(): Promise<void> {
    if (changes.length > 0) await store.saveLedger({ gaps: changes }, now)
    changes = []
  }

  async function openGaps(): Promise<KeptGap[]> {
    const all = (await allGaps(store, { state: 'open', road: 'log' })).filter(({ cause }) => TAKEN.includes(cause))
    // A later change of an order must not overtake an earlier one.
    return all.sort((a, b) => a.at - b.at)
  }

  async function takeFrom(gap: KeptGap): Promise<void> {
    const subscription = byId.get(String(gap.evidence.log?.webhookId))
    if (subscription === undefined) {
      if (knowsAll) lost(gap, 'its subscription is gone, and its log with it')
      return
    }
    const record = { webhookEventId: gap.subject, createdAt: gap.at }
    try {
      const payload = await payloadsOf(subscription)(record)
      const why = payload === undefined ? 'the log holds no payload of it' : await take(subscription, record, payload)
      if (why === null) {
        changes.push({ type: 'mend', key: gap.key, reason: 'taken from the log' })
        mended.taken += 1
        if (gap.cause === 'claimed')
          logger.error({ kind: gap.kind, eventId: gap.subject, means: CAUSES.claimed.words }, 'event.claimed')
      } else lost(gap, why)
    } catch (error) {
      signal.throwIfAborted()
      if (!isAboutItem(error)) throw error
      lost(gap, error.message)
    }
  }

  function lost(
    { key: _, id: __, firstSeenAt: ___, lastSeenAt: ____, state: _____, ended: ______, ...gap }: KeptGap,
    why: string,
  ) {
    changes.push({
      type: 'see',
      gap: { ...gap, cause: 'unobtainable', evidence: { log: { ...gap.evidence.log, why } } },
    })
  }

  function payloadsOf({ webhookId }: OwnSubscription): ReturnType<typeof createPayloads> {
    const known = payloads.get(webhookId)
    if (known !== undefined) return known
    const made = createPayloads(
      open.map(({ subject, at }) => ({ webhookEventId: subject, createdAt: at })),
      async (query: Omit<EventQuery, 'webhookId'>) => {
        await turn()
        return await platform.events.list({ webhookId, ...query, ...(sameClock && { sameClock }) }, signal)
      },
      {
        sameClock,
        alone: async (webhookEventId) => {
          await turn()
          return await platform.events.get({ webhookId, webhookEventId }, signal)
        },
      },
    )
    payloads.set(webhookId, made)
    return made
  }
}
