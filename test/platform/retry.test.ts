import { expect, test } from 'vitest'
import { PermanentError, RetryLaterError } from '../../src/domain/values/errors.ts'
import { pauseBefore } from '../../src/platform/http/client.ts'

const NOW = 1_000_000
const later = (notBefore: number | null) => new RetryLaterError('busy', { scope: 'destination', notBefore })

test.each([
  [1, 0, 250],
  [1, 1, 300],
  [2, 0, 1_000],
  [2, 0.5, 1_100],
])('when a read has failed %i times and chance says %d, then it waits %i ms', (tries, random, pause) => {
  expect(pauseBefore(later(null), tries, NOW, random)).toBe(pause)
})

test('when it has failed three times, then nobody waits any longer', () => {
  expect(pauseBefore(later(null), 3, NOW, 0)).toBeNull()
})

test('when the platform asks for a pause of up to five seconds, then it gets that one', () => {
  expect(pauseBefore(later(NOW + 5_000), 1, NOW, 0)).toBe(5_000)
  expect(pauseBefore(later(NOW + 100), 1, NOW, 0)).toBe(250)
})

test('when it asks for a longer one, then it is left alone', () => {
  expect(pauseBefore(later(NOW + 5_001), 1, NOW, 0)).toBeNull()
})

test('when it will never work like this, then it is not tried again', () => {
  expect(pauseBefore(new PermanentError('no', { code: 'http-400' }), 1, NOW, 0)).toBeNull()
})
