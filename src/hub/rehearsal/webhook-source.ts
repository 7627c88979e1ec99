import { isWebhook } from '../../domain/queue/event.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'

/** A webhook as the platform sent it. */
export interface Webhook {
  kind: string
  subscription: string | null
  /** The event id, where a header carried one. */
  transportKey: string | null
  contentType: string
  body: Uint8Array
}

/** The webhooks of a day, to be played. */
export interface WebhookSource {
  /** In the order in which they came. */
  came: { id: number; receivedAt: Instant; entity: string | null }[]
  /** What of the day is not played: handed in by own systems, or pulled, by the hub itself. */
  others: number
  /** Null: its payload is not kept any more. */
  read(id: number): Promise<Webhook | null>
}

const PAGE = 1_000

/** The webhooks that the store has of a stretch of time. */
export async function recordedWebhooks(
  reading: Pick<StoreReading, 'events' | 'event'>,
  { since, until }: { since: Instant; until: Instant },
): Promise<WebhookSource> {
  const came: WebhookSource['came'] = []
  let others = 0
  for (let after = 0; ; ) {
    const page = await reading.events({ since, until, after, limit: PAGE })
    for (const row of page) {
      const { id, receivedAt, entity } = row
      if (isWebhook(row)) came.push({ id, receivedAt, entity })
      else others += 1
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
  }
  return { came, others, read }

  async function read(id: number): Promise<Webhook | null> {
    const event = await reading.event(id)
    if (!event?.body) return null
    const { kind, subscription, transportKey, headers, body } = event
    return { kind, subscription, transportKey, contentType: headers['content-type'] ?? 'application/json', body }
  }
}
