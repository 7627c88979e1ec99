import { RetryLaterError } from '../domain/errors.ts'
import type { Platform } from '../platform/platform.ts'
import type { SettlementReader } from './known.ts'

/** Reads whole settlements from the platform, where it may be asked. */
export function createSettlementReader(platform: Pick<Platform, 'settlements'> | null): SettlementReader {
  return async ({ settlementId, days }, signal) => {
    if (platform === null) return null
    for (const day of days) {
      const listed = await platform.settlements.list({ day }, signal)
      const found = listed.find((one) => one.settlementId === settlementId)
      if (found) return found
    }
    throw new RetryLaterError(`the platform does not list settlement ${settlementId} yet`, { code: 'not-listed' })
  }
}
