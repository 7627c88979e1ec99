import { z } from 'zod'
import type { Watched } from '../../domain/alarms/follow.ts'
import type { Untold } from '../../domain/alarms/notice.ts'
import { SEVERITIES } from '../../domain/alarms/rules.ts'
import type { Store } from '../../store/store.ts'
import { keptState } from '../engine/job.ts'

/** The memory of alarms, through restarts and for all hubs of a store. */
export interface KeptAlarms {
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

/** Reads the state of the job. */
export function readKept(state: unknown): KeptAlarms {
  return Kept.parse(state)
}

/** What the job has kept; nothing where it has not run. */
export async function keptAlarms(store: Pick<Store, 'jobs'>): Promise<KeptAlarms> {
  return readKept(await keptState(store, 'alarms'))
}
