import { refusesUs } from '../../domain/queue/blame.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Job } from './job.ts'

/** Systems that refuse our credentials, as the jobs meet it. Somebody has to act, so it is said at once, and once for all jobs. */
export function createRefusals(logger: Logger) {
  /** By system: the jobs that it has refused and not answered since. */
  const refused = new Map<string, Set<string>>()

  return {
    failed({ name, asks = name }: Job, code: string, why: string): void {
      if (!refusesUs(code)) return
      const jobs = refused.get(asks) ?? new Set()
      if (jobs.size === 0) logger.error({ system: asks, job: name, code, why }, 'credentials.refused')
      refused.set(asks, jobs.add(name))
    },
    succeeded({ name, asks = name }: Job): void {
      const jobs = refused.get(asks)
      if (jobs?.delete(name) && jobs.size === 0) logger.info({ system: asks, job: name }, 'credentials.accepted')
    },
  }
}
