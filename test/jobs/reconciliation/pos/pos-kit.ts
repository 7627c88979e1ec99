import type { DialectName } from '../../../../sandbox/platform/dialects/dialect.ts'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import type { Instant } from '../../../../src/domain/values/instant.ts'
import { toInstant } from '../../../../src/domain/values/store-time.ts'
import type { Given } from '../../../hub.ts'
import { HOUR } from '../../kit.ts'
import { openPulled } from '../../pulls/pull-kit.ts'

/** The platform's store 101, which has this id there. */
export const STORE = '42'

interface Options {
  /** Version 2 has the POS's own report; the specification has numbers of receipts. */
  dialect?: DialectName
  start?: string
  pos?: NonNullable<NonNullable<Given['config']>['completeness']>['pos']
}

export type PosRules = Awaited<ReturnType<typeof openPos>>

/** POS of a sandbox on a morning, and a hub that compares what it has with their counters. */
export async function openPos({ dialect = 'frontsystems-v2', start = '2026-11-16T00:00:00Z', pos = {} }: Options = {}) {
  const pulled = await openPulled(
    start,
    {},
    {
      dialect,
      kinds: ['SaleCreated', 'OmniChannelEndlessAisleOrderCreated', 'POSSettlementCreated'],
      jobs: { 'reconcile-log': '0 0 1 1 *' },
      completeness: { pos },
    },
  )
  const { clock, platform, hub, run, quiet } = pulled
  return {
    ...pulled,
    /** A day of store 101: it opens, sells, closes in the evening, and the night comes. Returns when the first POS was closed. */
    async day(sell: () => void = () => {}): Promise<Instant> {
      clock.advance(9 * HOUR)
      sell()
      clock.advance(10 * HOUR)
      const closed = platform
        .closeDay('101')
        .map(({ SettlementTimeStamp }) => toInstant(SettlementTimeStamp, 'Europe/Oslo'))
      clock.advance(5 * HOUR)
      await quiet()
      return Math.min(...closed)
    },
    /** Pulls settlements, then compares the counters, as by the clock. `log`: the event log is scanned, too. Returns the note of the job. */
    async look(also?: 'log'): Promise<string> {
      await run('settlements')
      if (also === 'log') await run('reconcile-log')
      await quiet()
      return await run('reconcile-pos')
    },
    gaps: (state?: StoredGap['state']) => hub.hub.storage.gaps({ source: 'pos', ...(state && { state }) }, 0, 100),
    /** Balanced by the POS of store 101; null: unknown. */
    async mark() {
      const marks = await hub.hub.storage.watermarks()
      return marks.find(({ level, storeId }) => level === 'pos' && storeId === STORE) ?? null
    },
  }
}
