import { UNLEARNED } from '../../domain/ledger/lag.ts'
import { PLATFORM, PULLED } from '../../domain/queue/event.ts'
import type { EventRecord } from '../../platform/platform.ts'
import type { Store } from '../../store/store.ts'

/** Records of a window that are looked at: enough to learn from within a day, and few enough to ask for at once. */
const MOST = 200

/**
 * How long after they arose ordinary webhooks of a window had arrived: sent once, and delivered. That is known where a header names each.
 * `records`: those that are looked at for the first time, and are here.
 */
export async function sampleLateness(
  kind: string,
  records: readonly EventRecord[],
  store: Pick<Store, 'known'>,
): Promise<number[]> {
  const ordinary = records.filter(({ success, runsCounter }) => success && (runsCounter ?? 1) <= 1)
  const step = Math.max(1, Math.ceil(ordinary.length / MOST))
  const some = ordinary.filter((_, index) => index % step === 0)
  const events = await store.known(
    some.map(({ webhookEventId: transportKey }) => ({
      ...{ kind, origin: PLATFORM, transportKey, identity: null, bodyHash: '' },
    })),
  )
  return some.flatMap(({ createdAt, runsCounter }, index) => {
    const event = events[index]
    if (event?.by !== 'transport' || event.subscription === PULLED) return []
    const lateness = event.receivedAt - createdAt
    // Where the log does not say how often it was sent, it may have been sent again.
    return runsCounter === null && lateness > UNLEARNED ? [] : [lateness]
  })
}
