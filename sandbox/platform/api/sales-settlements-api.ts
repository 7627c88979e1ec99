import { Router } from 'express'
import { Refusal } from '../refusal.ts'
import { isDay } from '../sales/clock.ts'
import type { Settled, Settlements } from '../sales/settlements.ts'

/** Settlements of one page, if nobody says. */
const PAGE = 100

/** The settlement list in its two versions (spec, "POS settlements and sales"; facts, §1d and §3). */
export function createSettlementsApi(settlements: Settlements): Router {
  const router = Router()
  // The spec has no parameters, the public API requires a date: both are served.
  router.get('/api/possettlement', ({ query: { date } }, response) => {
    response.json(settlements.of(date === undefined ? null : readDay(date)).map(({ settlement }) => settlement))
  })
  router.get('/api/possettlementv2', ({ query }, response) => {
    const offset = readCount('offset', query.offset, 0)
    const limit = readCount('limit', query.limit, PAGE)
    const storeId = query.storeId === undefined ? null : readCount('storeId', query.storeId, 0)
    const withTypes = query.includePaymentTypes === 'true'
    response.json(
      settlements
        .of(readDay(query.date), storeId)
        .slice(offset, offset + limit)
        .map((settled) => versionTwo(settled, withTypes)),
    )
  })
  return router
}

/** Version 2 names some fields in another way, and has no number of the store and no receipts; it has the POS's fiscal report. */
function versionTwo({ settlement, store: { StoreId }, report }: Settled, withTypes: boolean) {
  const { SETTLEMENTID, POSID, BatchNumber, StoreNo, StoreInfo, ReceiptNoFrom, ReceiptNoTo, PaymentTypes, ...same } =
    settlement
  return {
    SettlementId: SETTLEMENTID,
    BatchNumber: Number(BatchNumber),
    StoreId,
    PosId: POSID,
    ...same,
    ...(withTypes && { PaymentTypes }),
    SAFT_ZReport: report,
  }
}

function readDay(value: unknown): string {
  if (typeof value === 'string' && isDay(value)) return value
  throw new Refusal(400, 'date is required: yyyy-mm-dd.')
}

function readCount(name: string, value: unknown, usual: number): number {
  if (value === undefined) return usual
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value)
  throw new Refusal(400, `${name} must be a whole number from 0.`)
}
