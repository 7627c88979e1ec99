import { describe, expect, test } from 'vitest'
import { ProductsState, planReading } from '../../src/jobs/products/state.ts'
import { DAY, HOUR, MINUTE } from './kit.ts'

const START = Date.parse('2026-11-20T08:00:00Z')
const NOW = { retail: 'Retail NO', settles: 15 * MINUTE, wanted: null }

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

  test('when a week has passed, or a store sells by another list, then all are read', () => {
    expect(fullReadings(() => 'a', 7 * 24 * 60)).toEqual([0, 7 * 24 * 60])
    const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
    const other = { ...NOW, now: START + HOUR, lists: 'a', retail: 'Retail SE' }
    expect(planReading({ ...known, endedAt: START }, other).changedSince).toBeNull()
  })

  test('when the platform does not list its price lists, then all are read once a day', () => {
    expect(fullReadings(() => null, 2 * 24 * 60)).toEqual([0, 24 * 60, 48 * 60])
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
    const ahead = planReading({ ...known, endedAt: START }, { ...NOW, now: START + 5 * DAY, lists: 'a' })
    const now = START + HOUR
    const back = planReading({ ...ahead.known, endedAt: START + 5 * DAY }, { ...NOW, now, lists: 'a' })
    expect(back.changedSince).toBe(START - 20 * MINUTE)
    expect(back.known).toMatchObject({ full: START, readAt: now, pricesAt: now })
  })

  test('when a campaign has begun, then all are read once for it', () => {
    const { known } = planReading(ProductsState.parse(null), { ...NOW, now: START, lists: 'a' })
    const wanted = START + HOUR
    const read = (now: number, state: ProductsState) => planReading(state, { ...NOW, now, lists: 'a', wanted })
    expect(read(START + 30 * MINUTE, { ...known, endedAt: START }).changedSince).not.toBeNull()
    const full = read(START + HOUR, { ...known, endedAt: START })
    expect(full.changedSince).toBeNull()
    expect(read(START + 2 * HOUR, { ...full.known, endedAt: START }).changedSince).not.toBeNull()
  })
})
