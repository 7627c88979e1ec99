import type { Instant } from '../../domain/values/instant.ts'
import type { Listed } from '../../platform/http/listed.ts'
import { isTooMuch } from '../../platform/long-lists/too-much.ts'
import type { EventQuery, EventRecord } from '../../platform/platform.ts'

/** Bytes of the log that are read ahead with a payload that is wanted: minutes of a chain's log are megabytes already. */
const AHEAD = { hour: 3_600_000, minutes: 5 * 60_000 }

/** How the log is asked. */
interface How {
  /** Only what the platform names as delivered, or as failed, is asked for. */
  success?: boolean
  /** The log answers for just what it is asked; else at least a day comes anyway. */
  sameClock: boolean
  /** Asks for one event alone, where the list shows none of it: a platform may not tell payloads in lists. Not given: it is not asked. */
  alone?: (webhookEventId: string) => Promise<EventRecord | null>
}

/** An event of the log whose payload is wanted. */
interface Wanted {
  webhookEventId: string
  createdAt: Instant
}

/**
 * Reads payloads of the log. One query tells those of many: where the log is asked by the day, those of the whole day.
 * Undefined: the log holds none of it.
 */
export function createPayloads(
  events: readonly Wanted[],
  list: (query: Omit<EventQuery, 'webhookId'>) => Promise<Listed<EventRecord>>,
  { success, sameClock, alone }: How,
): (event: Wanted) => Promise<unknown> {
  const wanted = new Set(events.map(({ webhookEventId }) => webhookEventId))
  const found = new Map<string, unknown>()
  /** Answers of the log are by the day, and one of them was more than is read: none will be less. */
  let isHuge = false
  return async ({ webhookEventId: id, createdAt }) => {
    if (!found.has(id) && !isHuge) await lookAhead(createdAt)
    // Where answers are pages, the newest first, those that come after it may have filled one; or they were more than is read.
    if (!found.has(id) && sameClock) await look(createdAt, 1_000)
    const payload = found.get(id) ?? (await alone?.(id))?.payload
    found.delete(id)
    return payload
  }

  async function lookAhead(at: Instant): Promise<void> {
    try {
      await look(at, sameClock ? AHEAD.minutes : AHEAD.hour)
    } catch (error) {
      if (!isTooMuch(error) || (!sameClock && !alone)) throw error
      isHuge = !sameClock
    }
  }

  async function look(at: Instant, ahead: number): Promise<void> {
    const window = { from: at - 1_000, to: at + ahead, includePayload: true }
    const query = success === undefined ? window : { ...window, success }
    for (const { webhookEventId, payload } of (await list(query)).rows)
      if (wanted.has(webhookEventId)) found.set(webhookEventId, payload)
  }
}
