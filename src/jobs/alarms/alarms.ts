import { JOBS } from '../../config/jobs.ts'
import { follow, type Watched } from '../../domain/alarms/follow.ts'
import { noticesOf } from '../../domain/alarms/notice.ts'
import { type AlarmRule, STORE_RULE } from '../../domain/alarms/rules.ts'
import type { HealthItem } from '../../domain/health/health.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { HubJob } from '../engine/job.ts'
import { readKept } from './kept.ts'
import { addressed, type Recipient, sayInLog, sendDue, type Teller } from './sending.ts'

export interface AlarmOptions {
  /** Everything that health finds now. */
  look(): Promise<HealthItem[]>
  rules: readonly AlarmRule[]
  recipients: readonly Recipient[]
  teller: Teller
  /** A name for this run of this hub. */
  by: string
  clock: Clock
  logger: Logger
  /** When it runs; a cron expression in UTC. */
  schedule?: string
}

/**
 * Says what begins to be wrong, and what is over: each cause once, through restarts, and by one of several hubs. Whoever could not
 * be told is told later, and health says since when. That the store cannot write is said by who meets it (store-watch.ts): a job of a
 * store that cannot write does not begin.
 */
export function alarmsJob(options: AlarmOptions): HubJob {
  const { look, rules, recipients, teller, by, clock, logger, schedule = JOBS.alarms.schedule } = options
  return {
    name: 'alarms',
    schedule,
    async run({ now, signal, state, save }) {
      const kept = readKept(state)
      let { watched } = kept
      let untold = addressed(kept.untold, [], { recipients, logger })
      const items = await look().catch(
        (error: unknown) => new Error('Health could not be looked at.', { cause: error }),
      )
      if (!(items instanceof Error)) {
        const concerned = items.filter(({ area }) => area !== STORE_RULE.of.area)
        const followed = follow(watched, concerned, rules, { now, by })
        const notices = noticesOf(followed, rules, now)
        watched = followed.watched
        untold = addressed(untold, notices, { recipients, logger })
        if (notices.length > 0) await save({ watched, untold })
        sayInLog(notices, logger)
      }
      const keep = (left: typeof untold) => save({ watched, untold: left })
      untold = await sendDue(untold, { recipients, teller, clock, logger, signal, keep })
      // What could be said was said; that the rest is not known is a failure of the job.
      if (items instanceof Error) throw items
      return { state: { watched, untold }, note: noteOf(watched, untold.length) }
    },
  }
}

function noteOf(watched: readonly Watched[], late: number): string {
  const standing = watched.filter(({ raisedAt }) => raisedAt !== null)
  const rules = [...new Set(standing.map(({ rule }) => rule))]
  const named = rules.length === 0 ? '' : `: ${rules.join(', ')}`
  const lateText = late === 0 ? '' : `; ${counted(late, 'recipient')} could not be told all`
  return `${standing.length === 0 ? 'no alarm stands' : counted(standing.length, 'alarm stands', 'alarms stand')}${named}${lateText}`
}
