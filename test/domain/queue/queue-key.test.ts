import { describe, expect, test } from 'vitest'
import { inOutage, type OpenCircuit, OUTAGE_ALARM } from '../../../src/domain/queue/queue-key.ts'

const NOW = Date.parse('2026-11-20T14:00:00Z')
const SECOND = 1_000

describe('when a destination meets outage', () => {
  const first = inOutage(null, NOW, 0.5, { code: 'unreachable', why: 'cannot connect', notBefore: null })

  test('then nothing goes out until it is probed', () => {
    expect(first).toEqual({
      since: NOW,
      failures: 1,
      until: NOW + 5 * SECOND,
      code: 'unreachable',
      why: 'cannot connect',
      notBefore: null,
    })
  })

  test('and meets it again, then it waits longer, since the same instant, with the newer reason', () => {
    const again = inOutage(first, NOW + 5 * SECOND, 0.5, { code: 'http-503', why: 'it said 503', notBefore: null })
    expect(again).toMatchObject({
      since: NOW,
      failures: 2,
      until: NOW + 15 * SECOND,
      code: 'http-503',
      why: 'it said 503',
    })
  })

  test('and names an instant, then it is probed no sooner, but later if its own schedule says so', () => {
    const naming = (notBefore: number) => inOutage(null, NOW, 0.5, { code: 'http-429', why: '429', notBefore })
    expect(naming(NOW + 60 * SECOND).until).toBe(NOW + 60 * SECOND)
    expect(naming(NOW + SECOND).until).toBe(NOW + 5 * SECOND)
  })

  test('that only one delivery tells of so far, then others may be tried at once, and the outage began with the first call', () => {
    const met = { since: NOW - 35 * SECOND, code: 'http-500', why: 'it said 500', notBefore: null, pauses: false }
    expect(inOutage(null, NOW, 0.5, met)).toMatchObject({ since: NOW - 35 * SECOND, until: NOW })
  })

  test('for a quarter of an hour, then it has been probed a few times, and somebody is to be woken', () => {
    const met = { code: 'unreachable', why: 'down', notBefore: null }
    let outage: OpenCircuit = first
    while (outage.until - outage.since < OUTAGE_ALARM) outage = inOutage(outage, outage.until, 0.5, met)
    expect(OUTAGE_ALARM).toBe(15 * 60 * SECOND)
    expect(outage.failures).toBeLessThan(12)
  })
})
