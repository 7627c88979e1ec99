import { expect, test } from 'vitest'
import { createLookPlaces, type LookPlaces } from '../../src/adapters/shared/look-places.ts'
import { PermanentError, RetryLaterError, UnfinishedLookError } from '../../src/domain/values/errors.ts'

const MINUTE = 60_000
const START = 1
const silent = new RetryLaterError('no answer', { code: 'cut' })

/** Reaches these places, and fails; gives the error, and where it began. */
async function fail(looks: LookPlaces<number>, key: string, places: readonly number[], error: Error = silent) {
  let began = Number.NaN
  const failed = await looks(key, START, async (from, reached) => {
    began = from
    for (const place of places) reached(place)
    throw error
  }).catch((caught: Error) => caught)
  return { began, failed }
}

test('When a look has failed, then the next goes on where it was, and the one after it came to its end begins anew', async () => {
  const looks = createLookPlaces<number>()
  await fail(looks, 'a', [3])
  await fail(looks, 'b', [7])
  expect((await fail(looks, 'b', [])).began).toBe(7)
  expect(await looks('a', START, async (from) => from)).toBe(3)
  expect((await fail(looks, 'a', [])).began).toBe(START)
})

test('When a look began a quarter of an hour ago, then it begins anew, however often it was gone on with', async () => {
  let now = 0
  const looks = createLookPlaces<number>(() => now)
  await fail(looks, 'a', [2])
  for (now = MINUTE; now < 15 * MINUTE; now += MINUTE) expect((await fail(looks, 'a', [now])).began).not.toBe(START)
  expect((await fail(looks, 'a', [])).began).toBe(START)
})

test('When thousands of looks have failed, then the last ones are remembered', async () => {
  const looks = createLookPlaces<number>()
  for (let no = 2; no < 5_000; no += 1) await fail(looks, `key ${no}`, [no])
  const began = async (no: number) => (await fail(looks, `key ${no}`, [])).began
  expect([await began(2), await began(3_999), await began(4_000), await began(4_999)]).toEqual([
    START,
    START,
    4_000,
    4_999,
  ])
})

test('When a look fails further on than where it began, then it says so; else it fails as it is', async () => {
  const looks = createLookPlaces<number>()
  const look = async (places: readonly number[], error: Error) => (await fail(looks, 'a', places, error)).failed
  expect(await look([1], silent)).toBe(silent)
  expect(await look([1, 2, 3], silent)).toMatchObject({ name: 'UnfinishedLookError', code: 'cut', cause: silent })
  expect(await look([3], silent)).toBe(silent)
  expect(await look([3, 4], silent)).toBeInstanceOf(UnfinishedLookError)
  const gone = new RetryLaterError('nobody is there', { scope: 'destination' })
  const refused = new PermanentError('not allowed', { code: 'http-403' })
  for (const error of [gone, refused, new TypeError('a bug')]) expect(await look([4, 5, 6], error)).toBe(error)
})
