import { adviceOn } from '../queue/advice.ts'
import { refusesKey } from '../queue/blame.ts'
import { sentence } from '../values/sentence.ts'
import { fine, type HealthItem } from './health.ts'
import type { JobStatus } from './job-status.ts'
import type { SubscriptionFault } from './subscription-fault.ts'

/** How often a job that fails is tried again within half an hour: it may mend itself. */
const FEW_FAILURES = 3

/** One item a job. */
export function jobHealth(jobs: readonly JobStatus[]): HealthItem[] {
  return jobs.map((job) => {
    const { name, failures, problem, overdue, cutOff, running, lastSucceededAt, lastFailedAt, nextRunAt, code } = job
    const item = (state: HealthItem['state'], means: string): HealthItem => ({
      area: 'job',
      name,
      state,
      since: lastSucceededAt ?? lastFailedAt,
      ...(nextRunAt !== null && { next: nextRunAt }),
      means,
      todo:
        state === 'problem'
          ? `tillbridge jobs history ${name}: mend what it names, then tillbridge jobs run ${name}.`
          : null,
    })
    const missed = lastSucceededAt === null ? 'It has not succeeded yet' : 'It has not succeeded for two of its turns'
    if (overdue && problem === null) return item('problem', `${missed}${running ? '; it runs now' : ''}.`)
    if (failures > 0) {
      const refused = code !== null && refusesKey(code) ? ', credentials refused' : ''
      const often = failures === 1 ? 'It failed' : `It has failed ${failures} times`
      const isProblem = overdue || failures > FEW_FAILURES || (code !== null && adviceOn(code).person)
      return item(
        isProblem ? 'problem' : 'note',
        sentence(`${often}${refused}${problem === null ? '' : `: ${problem}`}`),
      )
    }
    if (cutOff) return item('note', 'Its hub stopped during the run; it is made up for.')
    return fine('job', name, job.note ?? 'It has not run yet.')
  })
}

/** The faults of subscriptions that their job found last. None: one item for all. */
export function subscriptionHealth(faults: readonly SubscriptionFault[], jobs: readonly JobStatus[]): HealthItem[] {
  const job = jobs.find(({ name }) => name === 'subscriptions')
  if (job === undefined) return []
  if (faults.length > 0)
    return faults.map(({ name, why, since, harmless }) => ({
      area: 'subscription',
      name,
      state: harmless ? 'note' : 'problem',
      since,
      means: why,
      todo: harmless ? null : 'tillbridge jobs run subscriptions tries it now; tillbridge doctor asks the platform.',
    }))
  if (job.lastSucceededAt === null) return []
  return [fine('subscription', 'all', job.note ?? 'They are as they should be.')]
}
