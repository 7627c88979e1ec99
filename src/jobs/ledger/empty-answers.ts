import type { Range } from '../../domain/ledger/covered.ts'
import { isStillKept } from '../../domain/ledger/horizon.ts'
import type { Instant } from '../../domain/values/instant.ts'
import type { createLogAsking } from './ask-log.ts'
import type { Swept } from './ledger-state.ts'

/** So many events that came are no forgeries any more: the log does not tell of that time. */
const SEVERAL = 3

interface Asked {
  log: Pick<ReturnType<typeof createLogAsking>, 'shows'>
  /** The newest record of what was looked through before. */
  marker: Swept['marker']
  /** Up to there it was looked through. */
  until: Instant
  now: Instant
  /** How many events came in a stretch of time that the log does not show anywhere; null: it does not tell. */
  unknownIn(range: Range): Promise<number | null>
}

/**
 * Judges answers of a log that hold nothing. A log that is down, or that is written hours late, answers so too, with 200: so it is to
 * show what it has shown before, and some of what came then.
 */
export function createEmptyAnswers({ log, marker, until, now, unknownIn }: Asked) {
  let isSeen: Promise<boolean> | undefined

  return {
    /** Why a log that shows nothing at all is not believed; null: it is, or was quiet for longer than it is known to reach back. */
    async whyMute(): Promise<string | null> {
      if (marker === null || !isStillKept(marker.at, until, now)) return null
      isSeen ??= log.shows(marker)
      return (await isSeen) ? null : 'the log shows nothing, not even what it has shown before'
    },

    /** Why a window proves nothing of which the log shows none of the events that came then; null: it does. */
    async whyUnshown(window: Range): Promise<string | null> {
      const unknown = await unknownIn(window)
      return unknown !== null && unknown >= SEVERAL ? `the log shows none of ${unknown} events that came then` : null
    },
  }
}
