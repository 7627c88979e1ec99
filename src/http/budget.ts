import type { Limits, Timeouts } from '../config/sections.ts'
import { createSemaphore, createTimeSlices, type TimeSlices } from '../lib/semaphore.ts'

export interface Share {
  /** False: no room; drop the body. */
  take(bytes: number): boolean
  /** The body is complete: never cut off. */
  whole(): void
  /** Runs heavy work one at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>
  release(): void
}

export interface Budget {
  /** Turns of the event loop for large bodies, shared by all interfaces. */
  slices: TimeSlices
  /** `cut`: the body is too slow, or must make room. */
  open(cut: (why: Refusal) => void): Share
  scan(): void
  /** Cuts off the slowest body; false: none is slow. */
  cutOldest(): boolean
  /** False: over the credential's limit of this minute. Small bodies that decode to large ones would fill the disk. */
  inflate(credential: string, bytes: number): boolean
  inFlightBytes(): number
}

interface BudgetOptions {
  slices?: TimeSlices
  most: number
  /** Bytes that only small bodies get. */
  reserve: number
  /** Of one credential in a minute (bytes), beyond INFLATION. */
  inflated: number
  /** For a body to come (ms). */
  patience: number
  now?: () => number
}

/** Nearly all webhooks are smaller (bytes). */
const SMALL = 64 * 1024

/** Decoded bytes for each sent one that nothing counts: JSON is rarely compressed to a twentieth. */
export const INFLATION = 20

const MINUTE_MS = 60_000

const SLOW_MS = 1_000

/** Small bodies have a reserve, and beyond it cut off the slowest body: who holds a place is outpaced. */
export function createBudget({
  slices = createTimeSlices(),
  most,
  reserve,
  inflated,
  patience,
  now = () => performance.now(),
}: BudgetOptions): Budget {
  /** Incomplete bodies, oldest first. */
  const coming = new Map<Share, { since: number; cut: (why: Refusal) => void }>()
  let used = 0

  const alone = createSemaphore(1)
  const inflatedBy = new Map<string, number>()
  let minute = 0

  function cutOldest(except: Share | null = null): boolean {
    for (const [share, { since, cut }] of coming) {
      if (now() - since < SLOW_MS) return false
      if (share === except) continue
      share.release()
      cut('over-budget')
      return true
    }
    return false
  }

  return {
    slices,
    open(cut) {
      let size = 0
      let isOver = false
      const share: Share = {
        take(bytes) {
          if (isOver) return false
          const isSmall = size + bytes <= SMALL
          while (isSmall && used + bytes > most && cutOldest(share)) {}
          if (used + bytes > (isSmall ? most : most - reserve)) return false
          size += bytes
          used += bytes
          return true
        },
        whole: () => void coming.delete(share),
        alone,
        release() {
          if (isOver) return
          isOver = true
          coming.delete(share)
          used -= size
        },
      }
      coming.set(share, { since: now(), cut })
      return share
    },
    scan() {
      for (const [share, { since, cut }] of coming) {
        if (now() - since < patience) return
        share.release()
        cut('too-slow')
      }
    },
    cutOldest,
    inflate(credential, bytes) {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) inflatedBy.clear()
      minute = current
      const all = (inflatedBy.get(credential) ?? 0) + bytes
      if (all > inflated) return false
      inflatedBy.set(credential, all)
      return true
    },
    inFlightBytes: () => used,
  }
}

const SCAN_INTERVAL_MS = 500

/** `known`: senders known by their headers; `unverified`: by their body only. */
export interface Budgets extends Disposable {
  known: Budget
  unverified: Budget
}

export function createBudgets(
  { inFlightBytes, reserve, unverified, inflated }: Limits,
  { body, identify }: Timeouts,
): Budgets {
  const shared = { slices: createTimeSlices(), inflated }
  const budgets = {
    known: createBudget({ ...shared, most: inFlightBytes, reserve, patience: body }),
    unverified: createBudget({ ...shared, most: unverified, reserve: Math.floor(unverified / 4), patience: identify }),
  }
  const scanning = setInterval(() => {
    budgets.known.scan()
    budgets.unverified.scan()
  }, SCAN_INTERVAL_MS)
  return { ...budgets, [Symbol.dispose]: () => clearInterval(scanning) }
}

export type Refusal = 'over-budget' | 'too-slow' | 'inflated'
