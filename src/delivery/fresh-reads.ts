import type { Instant } from '../domain/values/instant.ts'
import type { Clock } from '../lib/clock.ts'
import { orLeave } from '../lib/or-leave.ts'

/** How long after a question its answer may serve others (milliseconds): steps of one event, and of those right after it. */
const FRESH = 3_000

interface Read<T> {
  askedAt: Instant
  answer: Promise<T>
  isAnswered: boolean
}

/** Gives the answer about a key, from a question that was asked at `since` or later. */
export type FreshReads<T> = (key: string, since: Instant, ask: () => Promise<T>, signal: AbortSignal) => Promise<T>

/**
 * Asks once for all who want to know the same at about the same time. A question goes on although whoever asked first has
 * left; one that failed is asked anew.
 */
export function createFreshReads<T>({ now }: Pick<Clock, 'now'>): FreshReads<T> {
  const reads = new Map<string, Read<T>>()
  /** A clock that was put back makes nothing young. */
  const isYoung = ({ askedAt }: Read<T>) => Math.abs(now() - askedAt) <= FRESH

  function begin(key: string, ask: () => Promise<T>): Read<T> {
    const read: Read<T> = { askedAt: now(), answer: ask(), isAnswered: false }
    // The latest stands last, so that what is old is found at the front.
    reads.delete(key)
    reads.set(key, read)
    const failed = () => reads.get(key) === read && reads.delete(key)
    read.answer.then(() => {
      read.isAnswered = true
    }, failed)
    return read
  }

  function forgetOld(): void {
    for (const [key, read] of reads) {
      if (!read.isAnswered || isYoung(read)) return
      reads.delete(key)
    }
  }

  return async (key, since, ask, signal) => {
    forgetOld()
    const before = reads.get(key)
    const isFresh = before && before.askedAt >= since && (!before.isAnswered || isYoung(before))
    const { answer } = isFresh ? before : begin(key, ask)
    return await orLeave(answer, signal)
  }
}
