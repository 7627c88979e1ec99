import { expect, test } from 'vitest'
import { createLookPlaces } from '../../src/adapters/shared/look-places.ts'
import { PermanentError, RetryLaterError, UnfinishedLookError } from '../../src/domain/values/errors.ts'

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

test('When a look fails further on than where it began, then it says so; else it fails as it is', async () => {
  const looks = createLookPlaces<number>()
  const silent = new RetryLaterError('no answer', { code: 'cut' })
  const look = (pages: readonly number[], error: Error) =>
    looks
      .goOn('a', async () => {
        for (const page of pages) looks.reached('a', page)
        throw error
      })
      .catch((failed: Error) => failed)
  expect(await look([1], silent)).toBe(silent)
  expect(await look([1, 2, 3], silent)).toMatchObject({ name: 'UnfinishedLookError', code: 'cut', cause: silent })
  expect(await look([3], silent)).toBe(silent)
  expect(await look([3, 4], silent)).toBeInstanceOf(UnfinishedLookError)
  const gone = new RetryLaterError('nobody is there', { scope: 'destination' })
  const refused = new PermanentError('not allowed', { code: 'http-403' })
  for (const error of [gone, refused, new TypeError('a bug')]) expect(await look([4, 5, 6], error)).toBe(error)
})
