import { Router } from 'express'
import { notThere } from '../domain/values/text.ts'
import type { Store } from '../store/store.ts'
import { notFound } from './asking.ts'
import { ActFilter, parse, wholeId } from './filters.ts'

/** `/admin/audit`: what people did, newest first, and one act with what it touched. */
export function createAuditAdmin({ store }: { store: Pick<Store, 'acts' | 'act'> }): Router {
  const router = Router()

  router.get('/', async (request, response) => {
    response.json({ acts: await store.acts(parse(ActFilter, request.query)) })
  })
  router.get('/:id', async (request, response) => {
    const act = await store.act(parse(wholeId('an act', 'audit list'), request.params.id))
    if (!act) return notFound(response, notThere('act', request.params.id))
    response.json(act)
  })
  return router
}
