import { expect, test } from 'vitest'
import { createAttemptLog } from '../../src/delivery/calling/carry-out.ts'
import type { ClaimResult } from '../../src/store/claim.ts'
import { claimOf, createTestLog, eventOf, resultOf } from './kit/parts.ts'

const TIMING = { at: 1, ms: 5 }
const LEVEL = { info: 30, warn: 40, error: 50 }

function ended(states: readonly ClaimResult['next']['state'][], batch: string | null = null) {
  return states.map((state, no) => ({
    claim: claimOf({ id: no + 1, batch }, { event: eventOf({}, { id: 90 + no }) }),
    result: resultOf(no + 1, state),
  }))
}

function logOf(...given: Parameters<typeof ended>) {
  const { logger, said } = createTestLog()
  createAttemptLog(logger)(ended(...given), TIMING)
  return said
}

test.each([
  ['delivered', LEVEL.info],
  ['superseded', LEVEL.info],
  ['waiting', LEVEL.warn],
  ['held', LEVEL.error],
  ['dead', LEVEL.error],
] as const)(
  'When a call of one delivery ends with it %s, then one line says all of it, on level %i',
  (state, level) => {
    expect(logOf([state])).toMatchObject([
      {
        msg: 'delivery.attempted',
        level,
        delivery: 1,
        event: 90,
        kind: 'SaleCreated',
        flow: 'publish',
        destination: 'bus',
        state,
        outcome: state,
        ms: 5,
      },
    ])
  },
)

test('When a batch ends well, then one line counts its deliveries, and none has a line of its own', () => {
  expect(logOf(['delivered', 'superseded', 'delivered'], 'daily')).toMatchObject([
    {
      msg: 'delivery.batch-attempted',
      level: LEVEL.info,
      flow: 'publish',
      destination: 'bus',
      batch: 'daily',
      states: { delivered: 2, superseded: 1 },
      at: 1,
      ms: 5,
    },
  ])
})

test('When some of a batch end badly, then each of these has a line, twenty at most, and the worst says the level', () => {
  const said = logOf(['delivered', 'waiting', 'dead'])
  expect(said.map(({ msg, level, delivery }) => [msg, level, delivery])).toEqual([
    ['delivery.batch-attempted', LEVEL.error, undefined],
    ['delivery.attempted', LEVEL.warn, 2],
    ['delivery.attempted', LEVEL.error, 3],
  ])
  expect(logOf(['delivered', 'waiting'])[0]?.level).toBe(LEVEL.warn)
  expect(logOf(Array.from({ length: 30 }, () => 'waiting' as const))).toHaveLength(21)
})

test('When nothing came of a call, then nothing is said', () => {
  expect(logOf([])).toEqual([])
})
