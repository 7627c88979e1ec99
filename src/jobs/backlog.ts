import { z } from 'zod'
import type { HourOfBacklog } from '../domain/health/health.ts'
import { hoursOfDay, recentHours } from '../domain/inactivity.ts'
import type { Instant } from '../domain/values/instant.ts'
import { sumOf } from '../lib/collections.ts'
import type { Storage } from '../storage/storage.ts'
import { type HubJob, readJobState } from './engine/job.ts'

const HOUR = 3_600_000

/** By the number of the hour since 1970 and the destination: the most that waited when it was looked at. */
const State = z
  .object({ hours: z.record(z.string(), z.record(z.string(), z.number())) })
  .nullable()
  .catch(null)

/** Notes how much waits for each destination, for the picture of a day. */
export function backlogJob({ storage }: { storage: Pick<Storage, 'status'> }): HubJob {
  return {
    name: 'backlog',
    async run({ now, state }) {
      const hour = Math.floor(now / HOUR)
      const hours = recentHours(State.parse(state ?? null)?.hours ?? {}, now)
      const most = { ...hours[hour] }
      const { destinations } = await storage.status()
      for (const [name, queues] of Map.groupBy(destinations, ({ destination }) => destination)) {
        const waiting = sumOf(queues, (queue) => queue.waiting)
        most[name] = Math.max(most[name] ?? 0, waiting)
      }
      return { state: { hours: { ...hours, [hour]: most } }, note: 'noted' }
    },
  }
}

/** Of a day, oldest first, the hour under way last, for each destination that something has waited for. */
export async function readBacklog(
  storage: Pick<Storage, 'jobs'>,
  now: Instant,
): Promise<Record<string, HourOfBacklog[]>> {
  const hours = State.parse(await readJobState(storage, 'backlog'))?.hours ?? {}
  const names = new Set(Object.values(hours).flatMap((waiting) => Object.keys(waiting)))
  const dayOf = (name: string) =>
    hoursOfDay(now).map((hour) => ({ from: hour * HOUR, waiting: hours[hour]?.[name] ?? 0 }))
  return Object.fromEntries([...names].map((name) => [name, dayOf(name)]))
}
