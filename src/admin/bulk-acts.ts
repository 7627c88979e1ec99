import { notFoundText } from '../domain/values/text.ts'
import type { BulkAct } from '../storage/rows.ts'
import { idIn } from './asked.ts'
import type { AdminContext } from './context.ts'
import { get, NOTHING, notFound, post, type Route } from './routes.ts'

const SHOWN = 100

/** Acts in the background, which the job `bulk-acts` does slice by slice. */
export function bulkRoutes({ storage, clock, logger }: AdminContext): Route[] {
  async function find(id: string | undefined): Promise<BulkAct> {
    const found = await storage.bulkAct(idIn(id, 'an act', 'audit list'))
    if (!found) throw notFound(notFoundText('act', String(id)))
    return found
  }

  return [
    get('/acts', NOTHING, async () => ({ acts: await storage.bulkActs(SHOWN) })),

    get('/acts/:id', NOTHING, async ({ params }) => await find(params.id)),

    // What is done stays done.
    post('/acts/:id/cancel', 'cancel', NOTHING, async ({ params, note, operator: by }) => {
      const { act } = await find(params.id)
      const isCancelled = await storage.endBulkAct(act, 'cancelled', clock.now(), null)
      await note({ selection: { act }, changed: isCancelled ? 1 : 0 })
      if (isCancelled) logger.warn({ act, by }, 'bulk-act.cancelled')
      return await find(params.id)
    }),
  ]
}
