import type { Range } from '../../domain/ledger/covered.ts'
import { reaches } from '../../domain/ledger/horizon.ts'
import { isOtherClock } from '../../domain/ledger/log-clock.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { EventQuery, LogAnswer, Platform } from '../../platform/platform.ts'
import { learnClock } from '../resend/learn-clock.ts'
import type { LedgerState, Swept } from './ledger-state.ts'

/** A log that was swept so lately is not asked whether it reaches back so far. */
const LATELY = 2 * 3_600_000

type Marker = NonNullable<Swept['marker']>

interface Tools {
  platform: Pick<Platform, 'events'>
  state: LedgerState
  /** Waits until the sweep may ask again: live traffic goes first. */
  turn(): Promise<void>
  signal: AbortSignal
}

/** Questions to the log of one subscription, each in its turn. */
export function createLogAsking(webhookId: string, { platform, state, turn, signal }: Tools) {
  async function list(
    range: Omit<EventQuery, 'webhookId'>,
    includePayload = false,
    sameClock = state.sameClock === true,
  ) {
    signal.throwIfAborted()
    await turn()
    const how = { ...(includePayload && { includePayload }), ...(sameClock && { sameClock }) }
    const answer = await platform.events.list({ webhookId, ...range, ...how }, signal)
    if (sameClock && state.sameClock === true) holdToClock(range, answer)
    return answer
  }

  /** Throws RetryLaterError where an answer is by another clock than was learned: what was asked for is not all there. */
  function holdToClock(asked: Range, { rows }: LogAnswer): void {
    const shown = rows.map(({ createdAt }) => createdAt)
    if (!isOtherClock(asked, shown)) return
    state.sameClock = null
    throw new RetryLaterError('the log is asked by another clock than before: the next run asks it again', {
      code: 'other-clock',
    })
  }

  async function showsBy(sameClock: boolean, marker: Marker): Promise<boolean> {
    const { rows } = await list({ from: marker.at - 1_000, to: marker.at + 1_000 }, false, sameClock)
    return rows.some(({ webhookEventId }) => webhookEventId === marker.id)
  }

  /** Whether the log still has a record that it showed. */
  async function shows(marker: Marker): Promise<boolean> {
    if (await showsBy(state.sameClock === true, marker)) return true
    // Clocks may have changed since.
    const isShown = state.sameClock === true && (await showsBy(false, marker))
    if (isShown) state.sameClock = null
    return isShown
  }

  return {
    list,
    shows,

    async learnClock(bound: Instant): Promise<void> {
      state.sameClock = await learnClock(bound, (narrow) => list(narrow, false, true))
    },

    /** Whether the log still tells of everything from an instant on. `marker`: the newest record of what was looked through. */
    async reachesBack(from: Instant, marker: Swept['marker'], now: Instant): Promise<boolean> {
      if (now - from < LATELY) return true
      if (marker === null) return reaches({ from, now, marker: null })
      return reaches({ from, now, marker: { at: marker.at, isShown: await shows(marker) } })
    },
  }
}
