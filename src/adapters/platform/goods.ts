import type { SubmittedDelivery } from '../../domain/catalogue/submitted.ts'
import { PermanentError } from '../../domain/values/errors.ts'
import { uuidOfName } from '../../lib/uuid.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/ports.ts'
import { sentOnce, WITHOUT_ID } from './orders.ts'

/** Namespace of request ids, made of the effect's key. */
const REQUESTS = '5b3c1f6e-0a83-4d0e-9c1b-2f7d64a8e913'

interface DeliveryWrites extends Pick<PlatformPort, 'createDelivery'> {
  /** Null where the platform honours requestId; else PermanentError `cannot-find`. */
  findDelivery(delivery: SubmittedDelivery): null
}

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

/** Public facts. After a 5xx they are in doubt. */
export function createGoodsMoves({
  transfers,
  corrections,
}: Pick<Platform, 'transfers' | 'corrections'>): Pick<PlatformPort, 'transferGoods' | 'correctStock'> {
  return {
    async transferGoods(transfer, { signal }) {
      const transferId = await sentOnce(transfers.create(transfer, signal))
      if (transferId === null) return { note: WITHOUT_ID }
      return {
        links: [{ kind: 'transfer', id: transfer.extRef, theirId: transferId }],
        note: `transfer id ${transferId}`,
      }
    },

    async correctStock(correction, { signal }) {
      await sentOnce(corrections.create(correction, signal))
      return { note: `${correction.lines.length} corrected` }
    },
  }
}
