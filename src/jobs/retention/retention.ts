import { setTimeout as rest } from 'node:timers/promises'
import { type Archive, ArchiveError } from '../../archive/archive.ts'
import { JOBS } from '../../config/jobs.ts'
import type { Ages } from '../../domain/retention.ts'
import { RetryLaterError, StorageUnavailableError } from '../../domain/values/errors.ts'
import { formatInstant, type Instant, isInFuture } from '../../domain/values/instant.ts'
import { pluralize } from '../../domain/values/text.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HubJob } from '../engine/job.ts'
import { readSchedule } from '../engine/schedule.ts'
import { expireArchive, prune } from './prune.ts'
import { createPace, type Pruned, type RetentionState, readRetentionState } from './pruning.ts'

interface Options {
  storage: Storage
  ages: Ages | null
  archive: Archive | null
  /** Free bytes on the disk of the storage. */
  room(): Promise<number | null>
  schedule?: string | undefined
  logger: Logger
}

/** Walks restart weekly: what had to stay may be settled (ms). */
const WEEK = 7 * 24 * 3_600_000

/** One a run. */
const SIZES = 30

export function retentionJob({ storage, ages, archive, room, schedule, logger }: Options): HubJob {
  const turns = readSchedule(schedule ?? JOBS.retention.schedule)

  /** Throws if the clock may be ahead: an operator decides. */
  function refuseUnseen({ ranAt }: RetentionState, now: Instant): void {
    const why = ranAt === 0 ? null : whyUnseen(ranAt, turns.next(ranAt), now)
    if (why !== null) throw new RetryLaterError(why, { code: 'clock-doubted' })
  }

  async function expire(now: Instant, signal: AbortSignal): Promise<number> {
    if (archive === null) return 0
    try {
      return await expireArchive(storage, archive, { now, signal })
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error
      throw tryAgain(error, 'Files that have expired stay there')
    }
  }

  /** Rewrites a SQLite file after an erasure; returns why not. */
  async function purge(free: number | null): Promise<RetryLaterError | null> {
    try {
      const isPurged = await storage.purgeDue(free)
      if (isPurged) logger.info({}, 'storage.rewritten')
      return isPurged === false ? new RetryLaterError(NOT_PURGED, { code: 'not-purged' }) : null
    } catch (error) {
      if (!(error instanceof StorageUnavailableError)) throw error
      return new RetryLaterError(`${NOT_PURGED} ${error.message}`, { code: 'not-purged', cause: error })
    }
  }

  return {
    name: 'retention',
    async run({ now, asked, signal, state: before, save }) {
      const state = readRetentionState(before)
      if (!asked && ages !== null) refuseUnseen(state, now)
      // A clock that is behind until NTP has set it does not count.
      if (asked || !isInFuture(state.ranAt, now)) state.ranAt = now
      const size = await storage.size()
      const free = await room()
      state.sizes = [...state.sizes, { at: now, ...size, free }].slice(-SIZES)
      const notPurged = await purge(free)
      if (ages === null) {
        if (notPurged !== null) throw notPurged
        return { state, note: 'retention.enabled is false: nothing is pruned' }
      }
      if (now - state.restarted > WEEK || isInFuture(state.restarted, now)) {
        for (const name of Object.keys(state.upTo)) if (name.startsWith('events:')) state.upTo[name] = 0
        state.restarted = now
      }
      const pace = createPace({ now: () => performance.now(), rest, signal })
      const { pruned, notArchived, heldBack } = await prune({
        ...{ storage, ages, archive, now, state, pace, signal },
        saved: () => save(state),
      })
      if (notArchived !== null) {
        logger.info(pruned, 'retention.pruned')
        throw tryAgain(notArchived, 'Events and their payloads stay until they are archived')
      }
      const expired = await expire(now, signal)
      logger.info({ ...pruned, expired }, 'retention.pruned')
      if (heldBack !== null) throw heldBack
      if (notPurged !== null) throw notPurged
      const note = summaryOf(pruned)
      return { state, note: expired === 0 ? note : `${note}, ${pluralize(expired, 'file')} of the archive` }
    },
  }
}

const NOT_PURGED =
  'The file of the storage could not be rewritten, which an erasure left to the night: it needs twice its size of free room (once in the folder of temporary files, SQLITE_TMPDIR), and nobody who reads from it meanwhile. The next run tries again.'

/** Overdue by more than this, the clock is doubted (ms). */
const LONG = 30 * 24 * 3_600_000

/** Why nothing is pruned: it would not come back if the clock is ahead. `turn`: when the run was due. */
function whyUnseen(last: Instant, turn: Instant, now: Instant): string | null {
  if (now - turn <= LONG) return null
  const [before, today] = [last, now].map((at) => formatInstant(at).slice(0, 10))
  return `By this clock it is ${today}, and retention ran last on ${before}: nothing is pruned, since what goes does not come back where the clock is ahead. Look at it (timedatectl). If it is right, and the hub was off for so long, "tillbridge retention run" prunes, and the nights after it do.`
}

/** The rest was done. */
function tryAgain(error: ArchiveError, stays: string): RetryLaterError {
  const { message, code } = error
  return new RetryLaterError(`${message} ${stays}; all else was pruned, and the next run tries again.`, {
    code,
    cause: error,
  })
}

function summaryOf(pruned: Pruned): string {
  const parts = [
    pluralize(pruned.events, 'event'),
    pluralize(pruned.payloads, 'payload'),
    `${pruned.deliveries} deliveries`,
    pluralize(pruned.attempts, 'attempt'),
    pluralize(pruned.keys, 'key'),
    pluralize(pruned.records, 'other record'),
  ]
  return `pruned ${parts.join(', ')}`
}
