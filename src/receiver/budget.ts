import type { Limits, Timeouts } from '../config/sections.ts'
import { createSemaphore, createTimeSlices, type TimeSlices } from '../lib/semaphore.ts'

/** The bytes of one body, from the first that comes until it is answered. */
export interface Share {
  /** Counts more bytes. False: there is no room for them, and the body is to be let go. */
  take(bytes: number): boolean
  /** The body is whole: nobody cuts it off any more. */
  whole(): void
  /** Work on it that would take every processor, if many did it at a time: one after the other. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The request is answered, or given up: its bytes are free. */
  release(): void
}

/** The bytes that all requests of a face have in hand. */
export interface Budget {
  /** In which bodies are read that take long: one of them in each turn of the event loop, whichever face it came to. */
  slices: TimeSlices
  /** For a body that begins to come; `cut` is called when it comes too slowly, or must make room for others. */
  open(cut: (why: Refusal) => void): Share
  /** Cuts off what has been coming for too long. */
  sweep(): void
  /** Cuts off the body that has been coming longest, where another needs its place. False: none has been coming for long. */
  cutOldest(): boolean
  /**
   * Counts bytes that a body became by decompression beyond INFLATION times what was sent. False: the credential has had its share
   * of this minute. Without it a few kilobytes a second would fill the disk.
   */
  inflate(credential: string, bytes: number): boolean
  /** Bytes in hand now. */
  inHand(): number
}

interface Room {
  slices?: TimeSlices
  most: number
  /** The part of them that only small bodies get. */
  reserve: number
  /** Bytes that one credential's bodies may become in a minute beyond INFLATION times what was sent. */
  inflated: number
  /** How long a body may be coming (milliseconds). */
  patience: number
  now?: () => number
}

/** A body of a webhook is smaller nearly always (bytes). */
const SMALL = 64 * 1024

/** JSON and its XML texts are packed to a tenth, rarely to a twentieth. */
export const INFLATION = 20

const MINUTE_MS = 60_000

/** A body that has been coming for so long makes room where another needs it (milliseconds). */
const SLOW = 1_000

/**
 * Counts bytes, and says no before memory does. Small bodies have a reserve, and where even that is taken, the one that has been
 * coming longest is cut off for them: who sends what it has is always faster than who holds a place.
 */
export function createBudget({
  slices = createTimeSlices(),
  most,
  reserve,
  inflated,
  patience,
  now = () => performance.now(),
}: Room): Budget {
  /** Bodies that are still coming, the oldest first. */
  const coming = new Map<Share, { since: number; cut: (why: Refusal) => void }>()
  let used = 0

  const alone = createSemaphore(1)
  const inflatedBy = new Map<string, number>()
  let minute = 0

  function cutOldest(except: Share | null = null): boolean {
    for (const [share, { since, cut }] of coming) {
      if (now() - since < SLOW) return false
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
    sweep() {
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
    inHand: () => used,
  }
}

/** How often it is looked who is too slow (milliseconds). */
const SWEEP = 500

/** The two budgets of a hub: of senders that are known by their headers, and of those that are known by their body only. */
export interface Budgets extends Disposable {
  known: Budget
  unverified: Budget
}

/** As config has them. */
export function createBudgets(
  { inHand, reserve, unverified, inflated }: Limits,
  { body, identify }: Timeouts,
): Budgets {
  const shared = { slices: createTimeSlices(), inflated }
  const budgets = {
    known: createBudget({ ...shared, most: inHand, reserve, patience: body }),
    unverified: createBudget({ ...shared, most: unverified, reserve: Math.floor(unverified / 4), patience: identify }),
  }
  const sweeping = setInterval(() => {
    budgets.known.sweep()
    budgets.unverified.sweep()
  }, SWEEP)
  return { ...budgets, [Symbol.dispose]: () => clearInterval(sweeping) }
}

/** There is no room for it, it came too slowly, or this minute's bodies of its credential became too much. */
export type Refusal = 'over-budget' | 'too-slow' | 'inflated'
