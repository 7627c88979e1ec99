import { PLATFORM, payloadOrNull } from '../../domain/queue/event.ts'
import { EXAMPLES, MADE_KINDS, type MadeKind } from '../../payloads/made/examples.ts'
import { type MadeOf, madePayload, madeWebhooks } from '../../payloads/made/made-day.ts'
import { isShape } from '../../payloads/made/varied.ts'
import type { StoreReading } from '../../store/reading/open-reading.ts'
import type { WebhookSource } from './webhook-source.ts'

/** The webhooks of a made day, and which kinds have the shape of what the store has recorded. */
export interface MadeSource extends WebhookSource {
  recorded: MadeKind[]
}

/** How many of the newest events of a kind are looked at for a shape. */
const LOOKED = 20

const DAY = 86_400_000

/**
 * Makes a day of so many sales in so many stores: those of the platform, if the store knows some, and of payloads that look as the
 * recorded ones do. It is the day before yesterday, so that
 * nothing of it waits for a day to close. `reading`: null where there is no store yet.
 */
export async function madeSource(
  { stores: count, sales }: { stores: number; sales: number },
  reading: Pick<StoreReading, 'stores' | 'events' | 'event'> | null,
  now: number,
): Promise<MadeSource> {
  const day = new Date(now - 2 * DAY).toISOString().slice(0, 'yyyy-mm-dd'.length)
  const shapes: Record<MadeKind, unknown> = { ...EXAMPLES }
  const recorded: MadeKind[] = []
  for (const kind of MADE_KINDS) {
    const shape = reading && (await shapeOf(reading, kind))
    if (!shape) continue
    shapes[kind] = shape
    recorded.push(kind)
  }
  const of: MadeOf = {
    midnight: Date.parse(`${day}T00:00:00Z`),
    day,
    sales,
    stores: await storesOf(reading, count),
    shapes,
  }
  const made = madeWebhooks(of)
  return {
    recorded,
    others: 0,
    came: made.map(({ at }, id) => ({ id, receivedAt: at, entity: null })),
    async read(id) {
      const webhook = made[id]
      if (!webhook) return null
      const body = Buffer.from(JSON.stringify(madePayload(of, webhook)))
      const transportKey = `made-${day}-${id}`
      return { kind: webhook.kind, subscription: null, transportKey, contentType: 'application/json', body }
    },
  }
}

async function shapeOf(reading: Pick<StoreReading, 'events' | 'event'>, kind: MadeKind): Promise<unknown> {
  for (const { id, origin } of await reading.events({ kind, limit: LOOKED })) {
    const payload = origin === PLATFORM ? payloadOrNull((await reading.event(id))?.body ?? null) : null
    if (isShape(kind, payload)) return payload
  }
  return null
}

/** Stores that the platform has, as far as there are so many; others have a number of their own. */
async function storesOf(reading: Pick<StoreReading, 'stores'> | null, count: number): Promise<MadeOf['stores']> {
  const known = ((await reading?.stores()) ?? []).flatMap(({ number, stockId, goneAt }) =>
    number === null || goneAt !== null ? [] : [{ number, stockId: stockId ?? number }],
  )
  return Array.from({ length: count }, (_, index) => {
    const number = String(101 + index)
    return known[index] ?? { number, stockId: number }
  })
}
