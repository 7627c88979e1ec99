import { expect } from 'vitest'
import { type Level, watermarkOf } from '../../../../src/domain/completeness/completeness.ts'
import type { StoredGap } from '../../../../src/domain/completeness/gap.ts'
import { SALE_KINDS } from '../../../../src/jobs/reconciliation/sales.ts'
import { busTo, type Given } from '../../../hub.ts'
import { type Sink, startSink } from '../../../sink.ts'
import { openPulled, type Pulled } from '../../pulls/pull-kit.ts'

export const SALE_COLUMNS = { receiptNo: 'RECEIPTNO', posId: 'POSID_FK', orderNo: 'ORDERNO' }

/** Kinds that lists show, and receipts: each subscription more has a log of weeks that reconcile-log reads first. */
export const KINDS = [
  ...SALE_KINDS,
  'StockMovementCreated',
  'POSSettlementCreated',
  'DeliveryCreated',
  'DeliveryUpdated',
  'DeliveryItemsReceived',
  'DeliveryCompleted',
  'OmniChannelSendReceiptCreated',
]

/** The lag until enough has been seen to learn from. */
export const LAG = 15 * 60_000

/** A hub, a platform and a receiver, where no reconciliation runs but what a test asks for. */
export interface Compared extends Omit<Pulled, 'beside'> {
  sink: Sink
  gaps(kind?: string): Promise<StoredGap[]>
  /** Up to where nothing is missing of a kind in store 101. */
  until(kind: string, level?: Level): Promise<number>
  compare(): Promise<{ note: string; problem: string | null }>
  got(kind: string): Sink['received'][number][]
}

export async function openCompared(
  start: string,
  pulls: Parameters<typeof openPulled>[1] = { saleColumns: SALE_COLUMNS },
  others: NonNullable<Given['destinations']> = {},
): Promise<Compared> {
  await using opened = new AsyncDisposableStack()
  const sink = opened.use(await startSink())
  const pulled = opened.use(
    await openPulled(start, pulls, {
      kinds: KINDS,
      destinations: { bus: busTo(sink.url), ...others },
      jobs: { 'reconcile-log': '0 0 1 1 *' },
    }),
  )
  const { storage } = pulled.hub.hub
  // Events can tell from here on.
  expect(await pulled.run('reconcile-log')).toContain('subscriptions')
  const runOf = async (name: string) =>
    (await pulled.hub.admin<{ note: string; problem: string | null }>(`jobs/${name}/run`, {})).body
  const open = opened.move()
  return {
    ...pulled,
    sink,
    gaps: async (kind) => await storage.gaps({ source: 'lists', ...(kind !== undefined && { kind }) }, 0, 1_000),
    until: async (kind, level = 'lists') => watermarkOf(await storage.watermarks(), level, kind, '42')?.until ?? 0,
    compare: () => runOf('reconcile-lists'),
    got: (kind) => sink.received.filter((one) => one.kind === kind),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
