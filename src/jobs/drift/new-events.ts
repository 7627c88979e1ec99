import type { Instant } from '../../domain/values/instant.ts'
import type { EventRow } from '../../store/screens.ts'
import type { Store } from '../../store/store.ts'
import { settledOf } from '../engine/settled.ts'

/** The most events that one run goes through: of more, the oldest are passed over, since it samples anyway. */
const MOST = 10_000
const PAGE = 500

export interface NewEvents {
  rows: EventRow[]
  /** The last event that was gone through. */
  upTo: number
  /** How many were not even listed, or about so many. */
  passedOver: number
}

/** The events that came since the last run, oldest first. At the first run: those that are there. */
export async function readNewEvents(
  store: Pick<Store, 'events'>,
  after: number,
  now: Instant,
  signal: AbortSignal,
): Promise<NewEvents> {
  const [newest] = await store.events({ limit: 1 })
  const passedOver = Math.max(0, (newest?.id ?? 0) - after - MOST)
  let upTo = after + passedOver
  const rows: EventRow[] = []
  while (rows.length < MOST) {
    signal.throwIfAborted()
    const page = await store.events({ after: upTo, limit: PAGE })
    const settled = settledOf(page, now)
    rows.push(...settled)
    upTo = settled.at(-1)?.id ?? upTo
    if (settled.length < PAGE) break
  }
  return { rows, upTo, passedOver }
}
