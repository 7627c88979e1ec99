import type { SubmittedDelivery } from '../../domain/catalogue/submitted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { sentOnce } from './uncertain.ts'
import { WITHOUT_ID } from './without-id.ts'

/** Our namespace of request ids: with it, an effect's key makes the same one for ever. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

interface DeliveryWrites extends Pick<PlatformPort, 'createDelivery'> {
  /**
   * Traces of a delivery that may have been created. Null: it may be sent again, since the platform carries out one
   * request id once. Where nobody says so it is a PermanentError `cannot-find`: no list of deliveries has our reference.
   */
  findDelivery(delivery: SubmittedDelivery): null
}

/** Deliveries to stores (spec, "Deliveries"). */
export function createDeliveryWrites({ deliveries }: Pick<Platform, 'deliveries'>): DeliveryWrites {
  return {
    async createDelivery(delivery, { key, signal }) {
      const requestId = uuidOfName(REQUESTS, key)
      const sent = deliveries.create({ ...delivery, requestId }, signal)
      const orderId = await (deliveries.heedsRequestId() ? sent : sentOnce(sent))
      if (orderId === null) return { note: WITHOUT_ID }
      return { links: [{ kind: 'delivery', id: delivery.extRef, theirId: orderId }], note: `order id ${orderId}` }
    },

    findDelivery({ extRef }) {
      if (deliveries.heedsRequestId()) return null
      throw new PermanentError(
        `whether the platform has delivery ${extRef} cannot be asked, and nobody says that it carries out one requestId ` +
          'once (platform.endpoints, deliveries.create, requestId: heeded). Look at the deliveries to that store, then ' +
          'skip this one, or retry it with --again',
        { code: 'cannot-find' },
      )
    },
  }
}
