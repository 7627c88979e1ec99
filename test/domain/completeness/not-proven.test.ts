import { expect, test } from 'vitest'
import { completenessOf, verdictOf, type Watermark } from '../../../src/domain/completeness/completeness.ts'
import { changedGap, type DetectedGap, type Gap, type OldestGap } from '../../../src/domain/completeness/gap.ts'
import {
  type DestinationReconciliation,
  destinationCompleteness,
  destinationVerdicts,
  NEVER_RECONCILED,
} from '../../../src/domain/completeness/reconciled.ts'
import { parseDecimal } from '../../../src/domain/values/money.ts'
import { createDifferences, NOTHING_REREAD } from '../../../src/jobs/reconciliation/comparison.ts'
import type { GivenRow } from '../../../src/storage/read-models/pages.ts'

const DAY = 86_400_000
const _HOUR = 3_600_000

test('A sale of the 20th that came on the 21st, and that the table has lost, is missing of the 20th', () => {
  const the20th = { since: Date.parse('2026-11-20'), until: Date.parse('2026-11-21'), storeId: '42' }
  const row = {
    ...{ id: 1, flow: 'book-sale', part: '', destination: 'bi', effect: null, state: 'delivered' },
    ...{ settledAt: 1, code: null, tries: 0, crashes: 0, firstTriedAt: null },
    // Taken from its list a day later.
    event: { id: 7, kind: 'SaleCreated', receivedAt: Date.parse('2026-11-21T21:00:00Z') },
  } as unknown as GivenRow
  const differences = createDifferences('bi', [])
  differences.judge(row, 'key', { ...NOTHING_REREAD, day: '2026-11-20', storeId: '42' }, { is: 'lacking' })
  const oldest = differences.changes.flatMap((one): OldestGap[] =>
    one.type === 'see' ? [{ ...one.gap, count: 1 }] : [],
  )
  expect(oldest).toMatchObject([{ cause: 'not-there', day: '2026-11-20' }])
  expect(destinationVerdicts(oldest, the20th).get('bi')?.verdict).toBe('gaps')
  const asked = { ...NEVER_RECONCILED, askedAt: 1, from: 0, until: Date.parse('2026-11-25') }
  const [bi] = destinationCompleteness({ bi: asked }, destinationVerdicts(oldest, the20th), {
    ...the20th,
    now: Date.parse('2026-11-25'),
  })
  expect(bi?.verdict).toBe('gaps')
})

test('A destination that could tell of nothing of the asked day is unknown for it, whatever it told of another', () => {
  const sums = { givenSum: parseDecimal(0), thereSum: parseDecimal(0) }
  const days = [
    { day: '2026-11-21', flow: 'book-sale', currency: 'NOK', given: 1, unknown: 0, there: 1, ...sums },
    { day: '2026-11-20', flow: 'book-sale', currency: 'NOK', given: 500, unknown: 500, there: 0, ...sums },
  ]
  const seen: Record<string, DestinationReconciliation> = {
    files: { ...NEVER_RECONCILED, askedAt: 1, from: 0, until: Date.parse('2026-11-22'), days },
  }
  const since = Date.parse('2026-11-20')
  const [files] = destinationCompleteness(seen, new Map(), { since, until: since + DAY, now: since + 3 * DAY })
  expect(files?.verdict).toBe('unknown')
})

test('A double booking that was explained, and of which both were then deleted, is missing', () => {
  const twice: DetectedGap = {
    ...{ source: 'destination', cause: 'there-twice', kind: 'SaleCreated', storeId: '42', destination: 'bi' },
    ...{ day: '2026-11-20', subject: 'key', at: 50, evidence: { destination: { there: '2 times' } } },
  }
  const explained: Gap = {
    ...{ ...twice, firstSeenAt: 100, lastSeenAt: 100, state: 'explained' },
    ended: { at: 120, by: 'kari', reason: 'one is a copy in the archive' },
  }
  const gone: DetectedGap = { ...twice, cause: 'not-there', evidence: { destination: { there: 'nothing' } } }
  expect(changedGap(explained, { type: 'see', gap: gone }, 200)).toMatchObject({ state: 'open', cause: 'not-there' })
})

const LOG: Watermark = { level: 'log', kind: 'SaleCreated', storeId: null, from: 0, until: 10 * DAY, since: 0 }

test('An event lost of a kind that is not subscribed to any more is missing all the same', () => {
  const lost: OldestGap = {
    kind: 'CustomerCreated',
    storeId: null,
    destination: null,
    cause: 'unobtainable',
    at: 5 * DAY,
    count: 3,
  }
  const asked = { since: 5 * DAY, until: 6 * DAY, storeId: null, now: 10 * DAY }
  expect(verdictOf(completenessOf([LOG], { log: [lost] }, asked))).toBe('gaps')
})

test('A gap of a POS whose store is not known (two have its number) holds back each store that is asked for', () => {
  const gap: OldestGap = {
    kind: 'SaleCreated',
    storeId: null,
    destination: null,
    cause: 'uncounted',
    at: 5 * DAY,
    count: 1,
  }
  // As reconcile-pos stores it: under the number, as which of the two stores it is is not known.
  const pos: Watermark = { ...LOG, level: 'pos', storeId: '101', until: 5 * DAY }
  const asked = { since: 5 * DAY, until: 6 * DAY, storeId: '42', now: 10 * DAY }
  expect(verdictOf(completenessOf([LOG], { pos: [gap] }, asked))).toBe('gaps')
  expect(verdictOf(completenessOf([LOG, pos], { pos: [gap] }, asked))).toBe('gaps')
})
