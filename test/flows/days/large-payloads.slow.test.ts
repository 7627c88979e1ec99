import { describe, expect, test } from 'vitest'
import { KINDS } from '../../../src/platform/payloads/kinds.ts'
import { bytesOf } from '../../fixtures/payloads.ts'
import { lists, ofEachShape, places, withKeys } from './large-payloads-given.ts'
import { nested, runAll, tooSlow } from './large-payloads-kit.ts'

const SMALL = 600
const MANY = 8 * SMALL
const DEPTH = 20_000

/* The same with two hundred thousand lines and keys, and for each kind by itself: large-payloads.soak.ts. */
// A collector of garbage may come in between: what is not linear is too slow each time.
describe('payloads of any size', { retry: 2 }, () => {
  test.each(ofEachShape(lists))('when $kind has many $of, then all that is done with it takes linear time', (room) => {
    const bodyOf = (count: number) => bytesOf(room.with(Array.from({ length: count }, (_, index) => room.line(index))))

    expect(tooSlow(runAll(room.kind, bodyOf(SMALL)), runAll(room.kind, bodyOf(MANY)))).toEqual([])
  })

  test('when every object has thousands of keys that nobody knows, then it is read in linear time', () => {
    for (const { kind } of ofEachShape(KINDS.map(({ name }) => ({ kind: name })))) {
      const timesOf = (count: number) => runAll(kind, bytesOf(withKeys(kind, count)))
      expect(tooSlow(timesOf(SMALL), timesOf(MANY)), kind).toEqual([])
    }
  })

  test('when anything is nested deeper than the stack, then nothing but the payload is refused', () => {
    for (const { kind, of, with: filled } of ofEachShape(places))
      expect(() => runAll(kind, nested(filled, DEPTH)), `${kind}: ${of}`).not.toThrow()
  })
})
