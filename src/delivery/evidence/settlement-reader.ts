import { RetryLaterError } from '../../domain/values/errors.ts'
import { asideText } from '../../platform/http/listed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { SettlementReader } from '../calling/inputs.ts'

/** Reads whole settlements from the platform, where it may be asked. */
export function createSettlementReader(platform: Pick<Platform, 'settlements'> | null): SettlementReader {
  return async ({ settlementId, days }, signal) => {
    if (platform === null) return null
    let unreadable: string | null = null
    for (const day of days) {
      const { rows, aside } = await platform.settlements.list({ day }, signal)
      const found = rows.find((one) => one.settlementId === settlementId)
      if (found) return found
      unreadable ??= asideText(aside)
    }
    if (unreadable !== null)
      throw new RetryLaterError(`settlement ${settlementId} is not among those that can be read: ${unreadable}`, {
        code: 'not-readable',
      })
    throw new RetryLaterError(`the platform does not list settlement ${settlementId} yet`, { code: 'not-listed' })
  }
}
