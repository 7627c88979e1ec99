import { eventually } from '../../../eventually.ts'
import type { WorldAtSpeed } from './world-at-speed.ts'

/** A job, as far as it matters whether it has work to do. */
interface Job {
  running: boolean
  /** Under way in a process that was killed, until its lease is over. */
  elsewhere: boolean
  nextRunAt: number | null
}

/** Waits until what the hub is to do by now is done: jobs have ended, and webhooks and deliveries have arrived. */
export async function settled({ platform, hub, clock }: WorldAtSpeed): Promise<void> {
  await platform.settled()
  if (!hub.isUp) return
  await eventually(async () => {
    const { jobs } = await hub.admin<{ jobs: Job[] }>('jobs')
    const now = clock.now()
    return jobs.every(({ running, elsewhere, nextRunAt }) => elsewhere || (!running && (nextRunAt ?? now) >= now))
  })
  await platform.settled()
  await eventually(async () => (await underWay(hub)) === 0)
}

async function underWay(hub: WorldAtSpeed['hub']): Promise<number> {
  const { destinations } = await hub.admin<{ destinations: { inFlight: number }[] }>('status')
  return destinations.reduce((sum, { inFlight }) => sum + inFlight, 0)
}
