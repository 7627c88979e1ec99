import { describe, expect, test } from 'vitest'
import { readFaults } from '../../../src/domain/rehearsal/fault.ts'
import { headroom } from '../../../src/domain/rehearsal/headroom.ts'
import { percentile } from '../../../src/domain/rehearsal/percentile.ts'
import { timetable } from '../../../src/domain/rehearsal/timetable.ts'

const came = (...instants: number[]) => instants.map((receivedAt, index) => ({ id: index + 1, receivedAt }))

describe('when webhooks are played', () => {
  test('at ten times the speed, then the time between them is a tenth', () => {
    expect(timetable(came(5_000, 6_000, 6_500), { speed: 10, reorder: false })).toEqual([
      { event: 1, at: 0 },
      { event: 2, at: 100 },
      { event: 3, at: 150 },
    ])
  })

  test('after a night, then nobody waits for longer than two seconds', () => {
    const slots = timetable(came(0, 8 * 3_600_000, 8 * 3_600_000 + 1_000), { speed: 10, reorder: false })

    expect(slots.map(({ at }) => at)).toEqual([0, 2_000, 2_100])
  })

  test('of a clock that was set back, then none is sent before its turn', () => {
    expect(timetable(came(1_000, 400, 500), { speed: 1, reorder: false }).map(({ at }) => at)).toEqual([0, 0, 100])
  })

  test('in another order, then each is sent once, at the times that there are', () => {
    const slots = timetable(came(0, 10, 20, 30, 40, 50, 60), { speed: 1, reorder: true })

    expect(slots.map(({ event }) => event)).toEqual([5, 4, 3, 2, 1, 7, 6])
    expect(slots.map(({ at }) => at)).toEqual([0, 10, 20, 30, 40, 50, 60])
  })
})

describe('when faults are named', () => {
  test('then each is read, and several of one kind', () => {
    expect(readFaults(['kill', 'slow:erp', 'slow:bus', 'down:erp', 'double', 'reorder'], ['erp', 'bus'])).toEqual({
      kill: true,
      double: true,
      reorder: true,
      slow: ['erp', 'bus'],
      down: ['erp'],
    })
  })

  test.each([
    ['flood', 'it is one of kill, double, reorder, slow:<destination>, down:<destination>'],
    ['slow', 'it is one of'],
    ['slow:shop', 'config has no such destination; it has erp'],
  ])('%s, then it says what there is', (word, says) => {
    expect(() => readFaults([word], ['erp'])).toThrow(says)
  })
})

describe('when headroom is reckoned', () => {
  const owed = (key: string, receivedAt: number) =>
    ({
      key,
      event: 1,
      destination: 'erp',
      urgency: 'bulk',
      entity: null,
      state: 'delivered',
      code: null,
      later: false,
      once: false,
      receivedAt,
    }) as const
  const effect = (key: string, at: number, given: object = {}) => ({
    destination: 'erp',
    key,
    call: at,
    together: 1,
    at,
    ms: 100,
    ...given,
  })

  test('then the busiest minute of the real day decides, whatever the speed was', () => {
    // At 60 times the speed, a minute is a second: three in the first, one in the second.
    const there = {
      owed: [owed('a', 0), owed('b', 100), owed('c', 999), owed('d', 1_000)],
      performed: [effect('a', 0), effect('b', 400), effect('c', 1_500), effect('d', 1_600)],
      destinations: [{ name: 'erp', concurrency: 2 }],
    }

    expect(headroom(there, 60)).toEqual([
      { destination: 'erp', effects: 4, calls: 4, ms: 100, longest: 100, behind: 600, carries: 400 },
    ])
  })

  test('then effects of one call share its time', () => {
    const there = {
      owed: [owed('a', 0), owed('b', 0)],
      performed: [
        effect('a', 0, { call: 1, together: 2, ms: 60_000 }),
        effect('b', 0, { call: 1, together: 2, ms: 60_000 }),
      ],
      destinations: [
        { name: 'erp', concurrency: 3 },
        { name: 'bus', concurrency: 1 },
      ],
    }

    expect(headroom(there, 1)).toMatchObject([
      { calls: 1, carries: 3 },
      { destination: 'bus', carries: null },
    ])
  })
})

test.each([
  [[], 0.99, 0],
  [[7], 0.5, 7],
  [[3, 1, 2, 4], 0.5, 2],
  [Array.from({ length: 100 }, (_, n) => n + 1), 0.99, 99],
])('when a percentile is taken of %j, then %d of them do not exceed %d', (values, part, expected) => {
  expect(percentile(values, part)).toBe(expected)
})
