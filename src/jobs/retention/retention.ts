import { setTimeout as rest } from 'node:timers/promises'
import { type Archive, ArchiveError } from '../../archive/archive.ts'
import { JOBS } from '../../config/jobs.ts'
import type { Ages } from '../../domain/retention/ages.ts'
import { counted } from '../../domain/values/counted.ts'
import { RetryLaterError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant } from '../../domain/values/instant.ts'
import { isStillToCome } from '../../domain/values/still-to-come.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/store.ts'
import type { HubJob } from '../engine/job.ts'
import { readSchedule } from '../engine/schedule.ts'
import { expireArchive } from './archive.ts'
import { prune } from './prune.ts'
import { createPace, type Pruned, type RetentionState, readRetentionState } from './pruning.ts'

interface Options {
  store: Store
  /** How long everything is kept; null: for ever. */
  ages: Ages | null
  /** Where events are kept before they go; null: nowhere. */
  archive: Archive | null
  /** The room on the disk of the store (bytes); null: nobody can tell. */
  room(): Promise<number | null>
  /** When it runs; a cron expression in UTC. */
  schedule?: string
  logger: Logger
}

/** The walks begin anew once a week: what stayed then may have been settled meanwhile (milliseconds). */
const WEEK = 7 * 24 * 3_600_000

/** Sizes that are remembered, one a run. */
const SIZES = 30

/** Prunes what has had its time. A run that was cut off is made up for: what went has gone wholly, and the rest is found again. */
export function retentionJob({
  store,
  ages,
  archive,
  room,
  logger,
  schedule = JOBS.retention.schedule,
}: Options): HubJob {
  const turns = readSchedule(schedule)

  /** Throws where it may be the clock that is ahead: a person says whether it is. */
  function refuseUnseen({ ranAt }: RetentionState, now: Instant): void {
    const why = ranAt === 0 ? null : whyUnseen(ranAt, turns.next(ranAt), now)
    if (why !== null) throw new RetryLaterError(why, { code: 'clock-doubted' })
  }

  async function expire(now: Instant, signal: AbortSignal): Promise<number> {
    if (archive === null) return 0
    try {
      return await expireArchive(store, archive, { now, signal })
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      throw tryAgain(error, 'Files that have expired stay there')
    }
  }

  return {
    name: 'retention',
    schedule,
    async run({ now, asked, signal, state: before, save }) {
      const state = readRetentionState(before)
      if (!asked && ages !== null) refuseUnseen(state, now)
      // A clock that is behind for a while, as at a start before NTP has set it, is not what the next runs go by.
      if (asked || !isStillToCome(state.ranAt, now)) state.ranAt = now
      const { shrinks: _, ...size } = await store.size()
      state.sizes = [...state.sizes, { at: now, ...size, free: await room() }].slice(-SIZES)
      if (ages === null) return { state, note: 'retention.enabled is false: nothing is pruned' }
      if (now - state.restarted > WEEK || isStillToCome(state.restarted, now)) {
        for (const name of Object.keys(state.upTo)) if (name.startsWith('events:')) state.upTo[name] = 0
        state.restarted = now
      }
      const pace = createPace({ now: () => performance.now(), rest, signal })
      const { pruned, notArchived, heldBack } = await prune({
        ...{ store, ages, archive, now, state, pace, signal },
        saved: () => save(state),
      })
      if (notArchived !== null) {
        logger.info(pruned, 'retention.pruned')
        throw tryAgain(notArchived, 'Events and their payloads stay until they are archived')
      }
      const expired = await expire(now, signal)
      logger.info({ ...pruned, expired }, 'retention.pruned')
      if (heldBack !== null) throw heldBack
      const note = noteOf(pruned)
      return { state, note: expired === 0 ? note : `${note}, ${counted(expired, 'file')} of the archive` }
    },
  }
}

/** A run that comes so much later than its turn was not merely late (milliseconds). */
const LONG = 30 * 24 * 3_600_000

/**
 * Why a run is to leave everything as it is: by this clock nobody has looked for so long that it may as well be the clock, and what
 * goes does not come back. `last`: when a run last believed the clock; `turn`: when the next one was due. Null: it may prune.
 */
function whyUnseen(last: Instant, turn: Instant, now: Instant): string | null {
  if (now - turn <= LONG) return null
  const [before, today] = [last, now].map((at) => formatInstant(at).slice(0, 10))
  return `By this clock it is ${today}, and retention ran last on ${before}: nothing is pruned, since what goes does not come back where the clock is ahead. Look at it (timedatectl). If it is right, and the hub was off for so long, "tillbridge retention run" prunes, and the nights after it do.`
}

/** For a run that did the rest of its work: it failed, and the next one goes on. */
function tryAgain(error: ArchiveError, stays: string): RetryLaterError {
  const { message, code } = error
  return new RetryLaterError(`${message} ${stays}; all else was pruned, and the next run tries again.`, {
    code,
    cause: error,
  })
}

function noteOf(pruned: Pruned): string {
  const parts = [
    counted(pruned.events, 'event'),
    counted(pruned.payloads, 'payload'),
    `${pruned.deliveries} deliveries`,
    counted(pruned.attempts, 'attempt'),
    counted(pruned.keys, 'key'),
    counted(pruned.records, 'other record'),
  ]
  return `pruned ${parts.join(', ')}`
}
