import type { Instant } from '../../domain/values/instant.ts'
import type { Listed } from '../../platform/http/listed.ts'
import type { EventQuery, EventRecord } from '../../platform/platform.ts'

const HOUR = 3_600_000

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
  success?: boolean,
): (event: Wanted) => Promise<unknown> {
  const wanted = new Set(events.map(({ webhookEventId }) => webhookEventId))
  const found = new Map<string, unknown>()
  return async ({ webhookEventId: id, createdAt }) => {
    if (!found.has(id)) {
      const window = { from: createdAt - 1_000, to: createdAt + HOUR, includePayload: true }
      const query = success === undefined ? window : { ...window, success }
      for (const { webhookEventId, payload } of (await list(query)).rows)
        if (wanted.has(webhookEventId)) found.set(webhookEventId, payload)
    }
    const payload = found.get(id)
    found.delete(id)
    return payload
  }
}
