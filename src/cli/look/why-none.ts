import type { JobStatus } from '../../domain/health/job-status.ts'
import type { Client } from '../shared/client.ts'

/**
 * The sentence on an empty list that a job fills: nothing is in it either where nobody has looked yet. `none`: what it says where somebody
 * has.
 */
export async function whyNone(client: Pick<Client, 'get'>, name: string, none: string): Promise<string> {
  const { jobs } = await client.get<{ jobs: JobStatus[] }>('/admin/jobs')
  const job = jobs.find((one) => one.name === name)
  if (job === undefined) return `Nobody has looked: by this config there is no job ${name}.`
  return job.lastSucceededAt === null ? `Nobody has looked yet: tillbridge jobs run ${name}.` : none
}
