import { startThread, type Thread } from '../../lib/thread.ts'
import type { DeliveryFilter, DeliveryRow, SubmissionItemFilter } from '../screens.ts'
import { unwrap } from './pipe.ts'
import type { ScreenMethods } from './screens.ts'

/** How many ids a person's verb changes in one commit. */
const SLICE = 2_000

/** The way to the thread that reads for people. It is started by the first question: most of the time nobody asks. */
export function createReader(path: string) {
  let thread: Thread | null = null

  async function ask<M extends keyof ScreenMethods>(
    method: M,
    ...args: Parameters<ScreenMethods[M]>
  ): Promise<ReturnType<ScreenMethods[M]>> {
    thread ??= startThread(new URL('./screens-thread.ts', import.meta.url), { path })
    const [result] = await thread.run([{ method, args }])
    return unwrap(result, path) as ReturnType<ScreenMethods[M]>
  }

  return {
    events: (filter: Parameters<ScreenMethods['events']>[0]) => ask('events', filter),
    event: (id: number) => ask('event', id),
    deliveries: (filter: DeliveryFilter) => ask('deliveries', filter),
    delivery: (id: number) => ask('delivery', id),
    status: () => ask('status'),
    submission: (id: number) => ask('submission', id),
    submissionItems: (id: number, filter: SubmissionItemFilter) => ask('submissionItems', id, filter),
    order: (number: string) => ask('order', number),
    overdue: (flows: Parameters<ScreenMethods['overdue']>[0], limit: number) => ask('overdue', flows, limit),
    jobRuns: (name: string, limit: number) => ask('jobRuns', name, limit),
    links: (destination: string, kind: string, ids: string[]) => ask('links', destination, kind, ids),
    skippedEffects: (beginning: string) => ask('skippedEffects', beginning),
    matching: (filter: DeliveryFilter, states: DeliveryRow['state'][]) => ask('matching', filter, states),

    /** The ids of a selection, oldest first, slice by slice. */
    async *idsOf(filter: DeliveryFilter, states: DeliveryRow['state'][]): AsyncGenerator<number[]> {
      let after = 0
      for (;;) {
        const ids = await ask('ids', filter, states, after, SLICE)
        if (ids.length > 0) yield ids
        if (ids.length < SLICE) return
        after = ids.at(-1) ?? after
      }
    },

    async [Symbol.asyncDispose]() {
      await thread?.[Symbol.asyncDispose]()
    },
  }
}
