import { expect, test } from 'vitest'
import { afterFailure, afterSent, isDue, type Notice, withNotices } from '../../../src/domain/alarms/notice.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const NOW = Date.UTC(2026, 10, 22, 12)

const notice = (key: string) => ({ key }) as unknown as Notice

test('when a recipient cannot be told, then pauses double from 30 s up to a quarter of an hour, and it is known since when', () => {
  let [one] = withNotices([], 'mail', [notice('a')])
  const pauses: number[] = []
  for (let n = 0; n < 8 && one; n += 1) {
    const now = NOW + n * MINUTE
    one = afterFailure(one, 'it hung up', now)
    pauses.push((one.nextAt - now) / SECOND)
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900])
  expect(one).toMatchObject({ tries: 8, since: NOW, why: 'it hung up' })
})

test('when the first was told, then the next is due at once, and nothing of the failure is left', () => {
  const [unsent] = withNotices([], 'mail', [notice('a'), notice('b')])
  const failed = unsent && afterFailure(unsent, 'it hung up', NOW)
  const left = failed && afterSent(failed)
  expect(left).toMatchObject({ notices: [{ key: 'b' }], tries: 0, nextAt: 0, since: null, why: null })
  expect(left && afterSent(left)).toBeNull()
})

test('when more than a hundred wait, then the oldest give way, and are counted', () => {
  const all = Array.from({ length: 130 }, (_, n) => notice(`${n}`))
  const [unsent] = withNotices(withNotices([], 'mail', all.slice(0, 90)), 'mail', all.slice(90))
  expect([unsent?.notices.length, unsent?.notices[0], unsent?.dropped]).toEqual([100, { key: '30' }, 30])
})

test('when a recipient failed while the clock was days ahead, then it is tried at once when that is put back', () => {
  const [unsent] = withNotices([], 'mail', [notice('a')])
  const ahead = unsent && afterFailure(unsent, 'it hung up', NOW + 5 * 24 * 60 * MINUTE)
  expect(ahead && isDue(ahead, NOW)).toBe(true)
  const failed = unsent && afterFailure(unsent, 'it hung up', NOW)
  expect([0, 29, 30].map((after) => failed && isDue(failed, NOW + after * SECOND))).toEqual([false, false, true])
})
