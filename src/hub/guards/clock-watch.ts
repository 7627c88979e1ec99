import { type ClockJump, type ClockReading, jumpBetween } from '../../domain/health/clock-health.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'

/** How often the clocks are compared (milliseconds). */
const LOOK_EVERY = 10_000

export interface ClockWatch extends Disposable {
  /** The last jump there was. */
  jump(): ClockJump | null
  /** Calls back whenever it was set, until what is returned is disposed of. */
  whenSet(told: () => void): Disposable
}

/** Sees when the clock that the hub goes by is set. Where it has no steady one beside it, nobody can. */
export function watchClock(clock: Clock, logger: Logger, whose?: ClockJump['whose']): ClockWatch {
  const { steady } = clock
  let jump: ClockJump | null = null
  let cancel = () => {}
  const listeners = new Set<() => void>()
  if (steady) look(read(steady))

  function read(of: () => number): ClockReading {
    return { wall: clock.now(), steady: of() }
  }

  function look(before: ClockReading): void {
    cancel = clock.after(LOOK_EVERY, () => {
      if (!steady) return
      const now = read(steady)
      const found = jumpBetween(before, now)
      if (found) {
        jump = whose ? { ...found, whose } : found
        tell(found)
      }
      look(now)
    })
  }

  function tell({ by }: ClockJump): void {
    logger.error({ by }, 'clock.jumped')
    for (const told of listeners) told()
  }

  return {
    jump: () => jump,
    whenSet(told) {
      listeners.add(told)
      return { [Symbol.dispose]: () => void listeners.delete(told) }
    },
    [Symbol.dispose]: () => cancel(),
  }
}
