import { describe, expect, test } from 'vitest'
import { ProductsState, planReading } from '../../src/jobs/products/products.ts'
import { HOUR, MINUTE } from './kit.ts'

const START = Date.parse('2026-11-20T08:00:00Z')
const NOW = { retail: 'Retail NO', settles: 15 * MINUTE }

/** Runs every five minutes as price lists change; when everything was read, in minutes. */
function fullReadings(lists: (minute: number) => string | null, minutes: number): number[] {
  let state = ProductsState.parse(null)
  const full: number[] = []
  for (let minute = 0; minute <= minutes; minute += 5) {
    const { changedSince, known } = planReading(state, { ...NOW, now: START + minute * MINUTE, lists: lists(minute) })
    if (changedSince === null) full.push(minute)
    state = { ...known, endedAt: START + minute * MINUTE }
  }
  return full
}

describe('which products are read', () => {
  test('when nothing was read yet, then all are; then what changed since 20 minutes before the last time', () => {
    const first = planReading(ProductsState.parse('nonsense'), { ...NOW, now: START, lists: 'a' })
    expect(first.changedSince).toBeNull()
    const now = START + 5 * MINUTE
    const next = planReading({ ...first.known, endedAt: START }, { ...NOW, now, lists: 'a' })
    expect(next.changedSince).toBe(START - 20 * MINUTE)
    expect(next.known).toMatchObject({ full: START, readAt: now, pricesAt: now })
  })

  test('when a day has passed, or a store sells by another list, then all are read', () => {
    expect(fullReadings(() => 'a', 2 * 24 * 60)).toEqual([0, 24 * 60, 2 * 24 * 60])
    const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
    const other = { ...NOW, now: START + HOUR, lists: 'a', retail: 'Retail SE' }
    expect(planReading({ ...known, endedAt: START }, other).changedSince).toBeNull()
  })

  test('when price lists change, then all are read once they have come to rest, and prices are as old until then', () => {
    expect(fullReadings((minute) => (minute < 30 ? 'a' : minute < 40 ? `b${minute}` : 'c'), 120)).toEqual([0, 55])
    const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
    const noticed = planReading({ ...known, endedAt: START }, { ...NOW, now: START + 5 * MINUTE, lists: 'b' })
    expect(noticed.known).toMatchObject({ readAt: START + 5 * MINUTE, pricesAt: START })
  })

  test('when price lists never come to rest, then all are read once an hour, and once more after that', () => {
    expect(fullReadings((minute) => (minute < 150 ? `b${minute}` : 'c'), 240)).toEqual([0, 65, 125, 165])
  })

  test('when the clock was ahead for a reading of changes, then what changed since the last one of all is asked for', () => {
    const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
    const ahead = planReading({ ...known, endedAt: START }, { ...NOW, now: START + 5 * HOUR, lists: 'a' })
    const now = START + HOUR
    const back = planReading({ ...ahead.known, endedAt: START + 5 * HOUR }, { ...NOW, now, lists: 'a' })
    expect(back.changedSince).toBe(START - 20 * MINUTE)
    expect(back.known).toMatchObject({ full: START, readAt: now, pricesAt: now })
  })
})
