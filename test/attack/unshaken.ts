import { expect } from 'vitest'
import type { Outcome } from './siege.ts'

/** What honest webhooks may suffer, and what the hub may take, under any attack. */
interface Limits {
  /** Of the time from when a webhook was due to its answer (milliseconds). */
  p99: number
  rssMb: number
}

/** What is promised: late by no more than a POS notices, and no larger than the 512 MB that the defaults are made for leave room for. */
const PROMISED: Limits = { p99: 250, rssMb: 400 }

/** From so much slower on, others keep the processors busy. */
const BESIDE = 1.25

/** The same where other tests keep the processors busy, too, and where the machine is slow: as much later as that makes all that the hub does. */
export function besideOthers({ slowdown, pace, memoryDelayMs }: Outcome): Limits {
  // Who waits for a processor collects garbage late: less than the 512 MB is what counts then.
  return { p99: PROMISED.p99 * slowdown * pace + memoryDelayMs, rssMb: slowdown > BESIDE ? 480 : PROMISED.rssMb }
}

/** Nothing honest was lost, nothing answered late, nothing taken is missing, and the hub is the same and not large. */
export function expectUnshaken(outcome: Outcome, { p99, rssMb }: Limits): void {
  const { lost, missing, alive, complaint, p99Ms, rssMb: sampled, peakMb } = outcome
  const figures = JSON.stringify(outcome)
  expect({ alive, lost, missing, complaint }, figures).toEqual({ alive: true, lost: {}, missing: 0, complaint: null })
  expect(p99Ms, figures).toBeLessThanOrEqual(p99)
  expect(Math.max(sampled, peakMb || 0), figures).toBeLessThanOrEqual(rssMb)
}
