import { secondCall } from '../../domain/ledger/destination/second-call.ts'
import { inDoubtSince, nextLookup } from '../../domain/queue/in-doubt.ts'
import { WaitError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { Clock } from '../../lib/clock.ts'
import { canFindAll } from '../../ports/perform.ts'
import type { Call } from '../../ports/ports.ts'
import type { Claim } from '../../store/claim.ts'
import type { Store } from '../../store/store.ts'
import type { Destination } from '../destination.ts'

export interface Doubting {
  clock: Clock
  delivery: Store['delivery']
  saveLedger: Store['saveLedger']
}

interface Doubt {
  /** When it is looked up again if nothing is found; null: an earlier call may take effect no more, or there was none. */
  inDoubtUntil: Instant | null
  /** Notes a second call by that key, before it is made. */
  noteSecondCall(key: string): Promise<void>
}

/** How soon an unavailable storage is asked again (milliseconds). */
const RETRY_AFTER = 5_000

/** Whether an earlier call of a claim may still take effect. Throws a WaitError where the storage cannot tell, or note it. */
export async function doubtOf(
  { delivery, event }: Claim,
  call: Call,
  { name, ports, lane }: Pick<Destination, 'name' | 'ports' | 'lane'>,
  { clock, ...store }: Doubting,
): Promise<Doubt> {
  return {
    inDoubtUntil: delivery.open ? await until() : null,

    async noteSecondCall(key) {
      if (lane.lookAgain.length === 0 || !canFindAll(ports, call.port)) return
      const { id, flow } = delivery
      const gap = secondCall(
        { destination: name, key, kind: event.kind, at: event.receivedAt },
        {
          delivery: id,
          flow,
          calledAt: clock.now(),
          looks: 0,
        },
      )
      await written(store.saveLedger({ gaps: [{ type: 'note', gap }] }, clock.now()))
    },
  }

  async function until(): Promise<Instant | null> {
    const now = clock.now()
    const attempts = (await written(store.delivery(delivery.id)))?.attempts ?? []
    return nextLookup(inDoubtSince(attempts, now), now, lane.inDoubtFor, lane.timeout)
  }

  /** Nothing was sent: what is in doubt stays so. */
  async function written<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new WaitError(`what its earlier tries were could not be read: ${why}`, {
        code: 'unread',
        until: clock.now() + RETRY_AFTER,
      })
    }
  }
}
