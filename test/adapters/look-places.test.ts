import { expect, test } from 'vitest'
import { createLookPlaces } from '../../src/adapters/look-places.ts'

const MINUTE = 60_000

test('When a look has failed, then the next goes on where it was, and the one after it came to its end begins anew', () => {
  const looks = createLookPlaces<number>()
  looks.reached('a', 3)
  looks.reached('b', 7)
  expect([looks.of('a'), looks.of('b'), looks.of('c')]).toEqual([3, 7, null])
  looks.ended('a')
  expect([looks.of('a'), looks.of('b')]).toEqual([null, 7])
})

test('When a look began a quarter of an hour ago, then it begins anew, however often it was gone on with', () => {
  let now = 0
  const looks = createLookPlaces<number>(() => now)
  looks.reached('a', 1)
  for (now = MINUTE; now < 15 * MINUTE; now += MINUTE) {
    expect(looks.of('a')).not.toBe(null)
    looks.reached('a', now)
  }
  expect(looks.of('a')).toBe(null)
})

test('When thousands of looks have failed, then the last ones are remembered', () => {
  const looks = createLookPlaces<number>()
  for (let no = 0; no < 5_000; no += 1) looks.reached(`key ${no}`, no)
  expect([looks.of('key 0'), looks.of('key 3999'), looks.of('key 4999')]).toEqual([null, null, 4_999])
  expect(looks.of('key 4000')).toBe(4_000)
})
