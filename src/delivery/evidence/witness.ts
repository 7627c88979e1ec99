import type { OrderSeen } from '../../domain/orders/order-evidence.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { evaluate } from '../../lib/jsonata.ts'
import { eachInSlices } from '../../lib/slices.ts'
import { type Mappings, mapped, NO_MAPPINGS } from '../../payloads/mapping/mapping.ts'
import type { Platform } from '../../platform/platform.ts'
import { createFreshReads } from '../fresh-reads.ts'

/**
 * The witness of what a webhook says of an order. `operator`: config believes webhooks; `nobody`: the platform cannot
 * be asked.
 */
export type Witness = 'operator' | 'nobody' | PlatformWitness

/** The platform, asked after a webhook came: no answer is older than `since`. */
export interface PlatformWitness {
  /** Null: the platform says that it has no such order. */
  order(number: string, since: Instant, signal: AbortSignal): Promise<OrderSeen | null>
  /** Whether that it has none can be believed: this platform is known to answer such questions. */
  knowsOrders(): Promise<boolean>
  /** The payloads of a kind that the platform's event log says it sent lately, or, with `long`, within the last month. */
  sent(kind: string, since: Instant, span: Span, signal: AbortSignal): Promise<unknown[]>
}

export type Span = 'lately' | 'long'

const DAY = 24 * 3_600_000

/** How far back the log is read. What is sent again stands in it by the time when it arose. */
const SPANS: Record<Span, number> = { lately: 2 * DAY, long: 31 * DAY }

/** How far the platform's clock may be ahead of ours (milliseconds). */
const AHEAD = 3_600_000

/** Reads the platform's log of the events that it sent; `mappings`: where config says that fields of their payloads stand. */
export function createSentLog(
  { webhooks, events }: Pick<Platform, 'webhooks' | 'events'>,
  clock: Clock,
  mappings: Mappings = NO_MAPPINGS,
) {
  const read = createFreshReads<unknown[]>(clock)

  /** Asks the logs of all subscriptions: what one cannot tell, another may. */
  async function ask(kind: string, span: Span): Promise<unknown[]> {
    const subscriptions = (await webhooks.list()).rows.filter(({ event }) => event === kind)
    const now = clock.now()
    const window = { from: now - SPANS[span], to: now + AHEAD, includePayload: true }
    const sent: unknown[] = []
    const refusals: PermanentError[] = []
    for (const { id } of subscriptions) {
      // A log that cannot be read bears nothing out: it is as if nothing stood there.
      const { rows } = await events.list({ webhookId: id, ...window }).catch((error: unknown) => {
        if (!(error instanceof PermanentError)) throw error
        refusals.push(error)
        return { rows: [] }
      })
      await eachInSlices(rows, ({ payload }) => {
        sent.push(mapped(kind, payload, mappings, evaluate))
      })
    }
    if (sent.length === 0 && refusals[0]) throw refusals[0]
    return sent
  }

  return ((kind, since, span, signal) =>
    read(`${span} ${kind}`, since, () => ask(kind, span), signal)) satisfies PlatformWitness['sent']
}
