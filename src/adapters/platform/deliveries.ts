import { uuidOfName } from '../../lib/uuid.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../adapter.ts'

/** Our namespace of request ids: with it, an effect's key makes the same one for ever. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

/** Deliveries to stores (spec, "Deliveries"). The request id keeps one that is sent again from being a second one. */
export function createDeliveryWrites({
  deliveries,
}: Pick<Platform, 'deliveries'>): Pick<PlatformPort, 'createDelivery'> {
  return {
    async createDelivery(delivery, { key, signal }) {
      const orderId = await deliveries.create({ ...delivery, requestId: uuidOfName(REQUESTS, key) }, signal)
      if (orderId === null) return {}
      return { links: [{ kind: 'delivery', id: delivery.extRef, theirId: orderId }], note: `order id ${orderId}` }
    },
  }
}
