import { expect, test } from 'vitest'
import { begin, look, type Stillness } from '../../../src/delivery/standing/pulse.ts'

const TICK = 500

/** Looks each tick while the main thread does as it is told. */
function after(from: Stillness, ticks: number, main: (tick: number) => { beat?: number; turn?: number }, tick = TICK) {
  let now = from
  for (let no = 1; no <= ticks; no += 1)
    now = look(now, { beat: 0, turn: 0, ...main(no), at: now.last.at + tick }, TICK)
  return now
}

const start = begin({ at: 0, beat: 0, turn: 0 })

test('When the loop turns, then nothing stands still', () => {
  expect(after(start, 100, (tick) => ({ beat: tick, turn: tick }))).toMatchObject({ still: 0, unmoved: 0 })
})

test('When it stands still over one thing, then both say for how long, and when it turns again, how long it was', () => {
  const standing = after(start, 10, () => ({}))
  expect(standing).toMatchObject({ still: 10 * TICK, unmoved: 10 * TICK, ended: 0 })
  expect(after(standing, 1, () => ({ beat: 1 }))).toMatchObject({ still: 0, unmoved: 0, ended: 10 * TICK })
})

test('When the loop does not turn because many things are gone over, then none of them is what it stands still over', () => {
  expect(after(start, 20, (tick) => ({ turn: tick }))).toMatchObject({ still: 20 * TICK, unmoved: 0 })
})

test('When the whole machine was suspended for an hour, then that is no time that the loop stood still', () => {
  const { still } = after(start, 1, () => ({}), 3_600_000)
  expect(still).toBeLessThanOrEqual(2 * TICK)
})
