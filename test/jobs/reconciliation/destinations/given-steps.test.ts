import { expect, test } from 'vitest'
import {
  createDifferences,
  type GivenStep,
  NOTHING_REREAD,
  stepStateOf,
} from '../../../../src/jobs/reconciliation/comparison.ts'
import type { GivenRow } from '../../../../src/storage/read-models/pages.ts'

const BOUND = 1_000

function row(given: Partial<GivenRow> = {}): GivenRow {
  return {
    ...{
      id: 1,
      flow: 'book-sale',
      part: '',
      destination: 'bi',
      effect: null,
      state: 'delivered',
      settledAt: 1,
      code: null,
      ...{ tries: 0, crashes: 0, firstTriedAt: null },
    },
    event: {
      ...{ id: 7, kind: 'SaleCreated', origin: 'platform', identity: 'a', revision: 0, transportKey: null },
      ...{ subscription: null, entity: null, size: 2 },
      ...{ bodyHash: 'x', receivedAt: 1 },
    },
    ...given,
  }
}

test.each<[string, GivenStep, 'given' | 'open' | 'none']>([
  ['was acknowledged', [row()], 'given'],
  ['was acknowledged a moment ago', [row({ settledAt: BOUND })], 'open'],
  ['waits', [row({ state: 'waiting', settledAt: null })], 'open'],
  ['is held', [row({ state: 'held' })], 'open'],
  ['is dead', [row({ state: 'dead' })], 'open'],
  ['was skipped by a person', [row({ state: 'skipped' })], 'none'],
  ['was invalidated, or is stale', [row({ state: 'superseded' })], 'none'],
  ['was only recorded (dry run)', [row({ code: 'dry-run' })], 'none'],
  ['was acknowledged, and is on its way once more', [row(), row({ id: 2, state: 'waiting' })], 'given'],
  ['was recorded only, and then given', [row({ code: 'dry-run' }), row({ id: 2 })], 'given'],
])('what a destination is asked for: When a step %s, then it is told so', (_, step, is) => {
  expect(stepStateOf(step, BOUND).is).toBe(is)
})

test('When a destination has lost more than anybody can look at one by one, then the first are named, and the others counted', () => {
  const differences = createDifferences('bi', [])
  for (let n = 0; n < 1_500; n++) differences.judge(row(), `key-${n}`, NOTHING_REREAD, { is: 'lacking' })
  expect(differences.changes).toHaveLength(1_000)
  expect(differences.counts()).toEqual({ found: 1_500, unnamed: 500 })
})
