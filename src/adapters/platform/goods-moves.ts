import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { sentOnce } from './uncertain.ts'
import { WITHOUT_ID } from './without-id.ts'

/** Transfers and corrections (public facts): after a breakdown nobody knows whether they counted. */
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
