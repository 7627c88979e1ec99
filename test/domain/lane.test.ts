import { describe, expect, test } from 'vitest'
import { TROUBLE_ALARM, type Trouble, troubled } from '../../src/domain/lane.ts'

const NOW = Date.parse('2026-11-20T14:00:00Z')
const SECOND = 1_000

describe('when a destination meets trouble', () => {
  const first = troubled(null, NOW, 0.5, 'cannot connect', null)

  test('then nothing goes out until it is probed', () => {
    expect(first).toEqual({ since: NOW, failures: 1, until: NOW + 5 * SECOND, why: 'cannot connect' })
  })

  test('and meets it again, then it waits longer, since the same instant, with the newer reason', () => {
    const again = troubled(first, NOW + 5 * SECOND, 0.5, 'it said 503', null)
    expect(again).toEqual({ since: NOW, failures: 2, until: NOW + 15 * SECOND, why: 'it said 503' })
  })

  test('and names an instant, then it is probed no sooner, but later if its own schedule says so', () => {
    expect(troubled(null, NOW, 0.5, '429', NOW + 60 * SECOND).until).toBe(NOW + 60 * SECOND)
    expect(troubled(null, NOW, 0.5, '429', NOW + SECOND).until).toBe(NOW + 5 * SECOND)
  })

  test('for a quarter of an hour, then it has been probed a few times, and somebody is to be woken', () => {
    let trouble: Trouble = first
    while (trouble.until - trouble.since < TROUBLE_ALARM) trouble = troubled(trouble, trouble.until, 0.5, 'down', null)
    expect(TROUBLE_ALARM).toBe(15 * 60 * SECOND)
    expect(trouble.failures).toBeLessThan(12)
  })
})
