import { Router } from 'express'
import type { UnshownEndpoint } from '../domain/health/endpoint-use.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store.ts'

interface Options {
  /** Null: config has none. */
  platform: Pick<Platform, 'operations'> | null
  store: Pick<Store, 'endpointUses'>
}

/** `/admin/endpoints`: operations of the platform that no document shows, and what came of their use here. */
export function createEndpointsAdmin({ platform, store }: Options): Router {
  const router = Router()

  router.get('/', async (_, response) => {
    const kept = await store.endpointUses()
    const endpoints = (platform?.operations.unshown() ?? []).map(({ operation, address }): UnshownEndpoint => {
      const use = kept.find((one) => one.operation === operation && one.address === address)
      return {
        operation,
        address,
        use: use ? { firstAt: use.firstAt, first: use.first, came: use.came, since: use.since } : null,
      }
    })
    response.json({ endpoints })
  })
  return router
}
