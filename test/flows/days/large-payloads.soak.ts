import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../fixtures/payloads.ts'
import { lists, places } from './large-payloads-given.ts'
import { nested, runAll, tooSlow } from './large-payloads-kit.ts'

const SMALL = 25_000
const MANY = 8 * SMALL
const DEPTH = 100_000

/** No step may take the processor longer than that (milliseconds). */
const MAX = 2_000

// A collector of garbage may come in between: what is not linear is too slow each time.
describe('payloads of any size, each kind', { retry: 2 }, () => {
  test.each(lists)('when $kind has 200,000 $of, then no step takes long, nor more than linear time', (room) => {
    const bodyOf = (count: number) => bytesOf(room.with(Array.from({ length: count }, (_, index) => room.line(index))))

    expect(tooSlow(runAll(room.kind, bodyOf(SMALL)), runAll(room.kind, bodyOf(MANY)), MAX)).toEqual([])
  })

  const objects = places.filter(({ isObject }) => isObject)

  test.each(objects)(
    'when $of of $kind has 200,000 keys, then no step takes long, nor more than linear time',
    (room) => {
      const bodyOf = (count: number) =>
        bytesOf(room.with(Object.fromEntries(Array.from({ length: count }, (_, index) => [`Key${index}`, index]))))

      expect(tooSlow(runAll(room.kind, bodyOf(SMALL)), runAll(room.kind, bodyOf(MANY)), MAX)).toEqual([])
    },
  )

  test.each(places)('when $of of $kind is nested 100,000 deep, then nothing but the payload is refused', (room) => {
    expect(() => runAll(room.kind, nested(room.with, DEPTH))).not.toThrow()
  })
})
