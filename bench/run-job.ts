import { setTimeout as sleep } from 'node:timers/promises'
import type { HubProcess } from './hub-process.ts'

interface JobAnswer {
  name: string
  running: boolean
  note: string | null
  problem: unknown
}

/** Has a job run until it has ended; its note. */
export async function runJob(hub: Pick<HubProcess, 'admin'>, name: string): Promise<string> {
  // A long run is not waited for: its state tells when it has ended.
  await hub.admin(`jobs/${name}/run`, {}).catch(() => undefined)
  for (;;) {
    const { jobs } = await hub.admin<{ jobs: JobAnswer[] }>('jobs')
    const job = jobs.find((one) => one.name === name)
    if (job && !job.running) return `${job.note ?? ''}${job.problem ? ` (${JSON.stringify(job.problem)})` : ''}`
    await sleep(200)
  }
}
