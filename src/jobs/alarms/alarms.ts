import { z } from 'zod'
import { JOBS } from '../../config/jobs.ts'
import { follow, noticesOf, type Untold, type Watched } from '../../domain/alarms/notice.ts'
import { type AlarmRule, SEVERITIES, STORE_RULE } from '../../domain/alarms/rules.ts'
import type { HealthItem } from '../../domain/health/health.ts'
import { counted } from '../../domain/values/counted.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Store } from '../../store/store.ts'
import { type HubJob, keptState } from '../engine/job.ts'
import { addressed, type Recipient, sayInLog, sendDue, type Teller } from './sending.ts'

/** Shared by all hubs of a storage, kept through restarts. */
interface KeptAlarms {
  watched: Watched[]
  untold: Untold[]
}

const Thing = z.object({
  thing: z.string(),
  since: z.number(),
  lasted: z.number().nullable(),
  means: z.string().nullable(),
  todo: z.string().nullable(),
})

const Kept = z
  .object({
    watched: z.array(
      z.object({
        rule: z.string(),
        thing: z.string(),
        since: z.number(),
        raisedAt: z.number().nullable(),
        by: z.string(),
        goneAt: z.number().nullable(),
        means: z.string().nullable(),
        todo: z.string().nullable(),
      }),
    ),
    untold: z.array(
      z.object({
        to: z.string(),
        notices: z.array(
          z.object({
            rule: z.string(),
            severity: z.enum(SEVERITIES),
            change: z.enum(['began', 'over']),
            says: z.string(),
            at: z.number(),
            things: z.array(Thing),
            more: z.number(),
          }),
        ),
        dropped: z.number(),
        since: z.number().nullable(),
        tries: z.number(),
        nextAt: z.number(),
        why: z.string().nullable(),
      }),
    ),
  })
  .catch({ watched: [], untold: [] })

function readKept(state: unknown): KeptAlarms {
  return Kept.parse(state)
}

export async function keptAlarms(store: Pick<Store, 'jobs'>): Promise<KeptAlarms> {
  return readKept(await keptState(store, 'alarms'))
}

export interface AlarmOptions {
  look(): Promise<HealthItem[]>
  rules: readonly AlarmRule[]
  recipients: readonly Recipient[]
  teller: Teller
  /** A name for this run of this hub. */
  by: string
  clock: Clock
  logger: Logger
  schedule?: string
}

/** Announces what begins and what is over, once each, through restarts and from one of several hubs. Failed notices are sent later. A storage that cannot write is announced by store-watch.ts: this job does not begin then. */
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
      // Health is unknown: the job fails after sending.
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
