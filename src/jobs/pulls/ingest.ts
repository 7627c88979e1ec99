import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { type Decimal, toNumber } from '../../domain/values/money.ts'
import type { Inbox } from '../../ingest/accept.ts'
import type { Clock } from '../../lib/clock.ts'
import { chunksOf } from '../../lib/collections.ts'
import { jsonOf } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Unreadable } from '../../platform/http/read.ts'

interface HandedOver {
  news: number
  /** Quarantined ones, by their place from 1: to be asked for again. */
  rejected: Unreadable[]
}

/** Ingests pulled records under the same keys as webhooks. */
export interface Ingest {
  take(kind: string, payloads: readonly object[]): Promise<HandedOver>
  /** Records that no webhook brings. Returns how many. */
  announce(kind: string, payloads: Iterable<object>): Promise<number>
}

/** Bodies in memory at once. */
const EVENTS_PER_COMMIT = 25

export function createIngest(options: AcceptOptions & { inbox: Pick<Inbox, 'announce'> }): Ingest {
  const { inbox, clock } = options

  const takeOne = (kind: string, payload: object) =>
    acceptPayload(options, { kind, subscription: PULLED, transportKey: null, payload })

  return {
    async take(kind, payloads) {
      const handed: HandedOver = { news: 0, rejected: [] }
      let row = 0
      for (const some of chunksOf(payloads, EVENTS_PER_COMMIT)) {
        const taken = await Promise.all(some.map((payload) => takeOne(kind, payload)))
        for (const [index, { status, id }] of taken.entries()) {
          row += 1
          if (status === 'quarantined')
            handed.rejected.push({ row, why: `is in quarantine (event ${id})`, record: some[index] })
          else if (status !== 'duplicate') handed.news += 1
        }
      }
      return handed
    },
    async announce(kind, payloads) {
      let count = 0
      for (const some of chunksOf(payloads, EVENTS_PER_COMMIT)) {
        await Promise.all(some.map((payload) => inbox.announce(kind, PLATFORM, payload, clock.now())))
        count += some.length
      }
      return count
    },
  }
}

export interface AcceptOptions {
  inbox: Pick<Inbox, 'accept'>
  clock: Pick<Clock, 'now'>
  logger: Logger
}

/** Ingests what a job has read as if the webhook had come; logs a conflict. */
export async function acceptPayload(
  { inbox, clock, logger }: AcceptOptions,
  { payload, ...event }: { kind: string; subscription: string | null; transportKey: string | null; payload: unknown },
) {
  const accepted = await inbox.accept({
    ...event,
    origin: PLATFORM,
    receivedAt: clock.now(),
    headers: {},
    ...written(payload),
  })
  // A copy of a quarantined event is quarantined, too.
  if (accepted.status === 'duplicate' && accepted.unread) return { status: 'quarantined' as const, id: accepted.id }
  if (accepted.status === 'conflict') logger.error({ kind: event.kind, event: accepted.id }, 'event.conflict')
  return accepted
}

/** What JSON cannot hold is quarantined. */
function written(payload: unknown): { body: Buffer; unreadable: string | null } {
  const { text, isWhole } = jsonOf(payload)
  const unreadable = isWhole ? null : 'it is nested too deep; only its outermost fields are kept'
  return { body: Buffer.from(text), unreadable }
}

/** A JSON number, or text where that would lose digits. */
export function wireNumber(decimal: Decimal): number | Decimal {
  try {
    return toNumber(decimal)
  } catch (error) {
    if (error instanceof PermanentError) return decimal
    throw error
  }
}
