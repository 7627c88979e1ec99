import type { Clock } from '../lib/clock.ts'
import type { Refused } from '../lib/http/problem.ts'
import type { Logger } from '../lib/logger.ts'

/** Refusals, and how often, since the hub started. */
export interface Refusals extends Disposable {
  note: Refused
  counts(): Record<string, number>
  /** The same by the interface that refused, for those reasons of which it is known. */
  places(): Record<string, Record<string, number>>
}

const MINUTE = 60_000

/** The most addresses that are told apart in a minute; a flood may come from any number of them. */
const ADDRESSES = 1_000

const NAMED = 3

interface Tally {
  count: number
  byAddress: Map<string, number>
}

/**
 * Counts refusals by their reason and by who was refused. The first of a reason is a line of the log at once; those after it
 * are one line a minute, so that a flood of requests is no flood of lines.
 */
export function createRefusals(clock: Clock, logger: Logger): Refusals {
  const counts: Record<string, number> = {}
  const places: Record<string, Record<string, number>> = {}
  const minute = new Map<string, Tally>()
  let cancel: (() => void) | null = null

  function say(): void {
    cancel = null
    for (const [why, tally] of minute) if (tally.count > 0) logger.warn({ why, ...summary(tally) }, 'request.refused')
    const isOver = [...minute.values()].every(({ count }) => count === 0)
    for (const [why, { count }] of minute) {
      if (count === 0) minute.delete(why)
      else minute.set(why, { count: 0, byAddress: new Map() })
    }
    if (!isOver) cancel = clock.after(MINUTE, say)
  }

  return {
    note(why, address = 'unknown', at) {
      counts[why] = (counts[why] ?? 0) + 1
      if (at !== undefined) {
        places[why] = { ...places[why], [at]: (places[why]?.[at] ?? 0) + 1 }
      }
      const tally = minute.get(why)
      if (tally) return count(tally, address)
      minute.set(why, { count: 0, byAddress: new Map() })
      logger.warn({ why, ...(at && { at }), count: 1, from: [{ address, count: 1 }] }, 'request.refused')
      cancel ??= clock.after(MINUTE, say)
    },
    counts: () => ({ ...counts }),
    places: () => structuredClone(places),
    [Symbol.dispose]() {
      cancel?.()
    },
  }
}

function count(tally: Tally, address: string): void {
  tally.count += 1
  const before = tally.byAddress.get(address)
  if (before !== undefined || tally.byAddress.size < ADDRESSES) tally.byAddress.set(address, (before ?? 0) + 1)
}

function summary({ count, byAddress }: Tally) {
  const most = [...byAddress].sort(([, a], [, b]) => b - a).slice(0, NAMED)
  return { count, addresses: byAddress.size, from: most.map(([address, times]) => ({ address, count: times })) }
}
