import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FIND_FAILED,
  FIND_UNFINISHED,
  next,
  type Progress,
  type WhenUnknown,
} from '../../../src/domain/queue/delivery.ts'
import { cutShort, type Outcome } from '../../../src/domain/queue/outcome.ts'
import { ITEM_LIFETIME } from '../../../src/domain/queue/retry.ts'

const NOW = Date.parse('2026-11-20T14:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const LANDING = 20 * SECOND

const FRESH: Progress = { tries: 0, finds: 0, failingSince: null, open: false }
const DELIVERED: Outcome = { type: 'delivered', links: [], note: null }
const REFUSED: Outcome = { type: 'dead', code: 'http-400', why: 'it said 400' }
const FAILED: Outcome = { type: 'retry', scope: 'item', notBefore: null, code: 'http-500', why: 'it said 500' }
const DOWN: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'http-503', why: 'it said 503' }
const UNCERTAIN: Outcome = { type: 'unknown', code: 'timeout', why: 'no answer' }
const NOT_FOUND_OUT: Outcome = { type: 'unknown', code: FIND_FAILED, why: 'the look failed' }

const [CUT_UNSENT, CUT_FAILED, CUT_UNCERTAIN] = [DOWN, FAILED, UNCERTAIN].map(cutShort) as [Outcome, Outcome, Outcome]
const CUT = [CUT_UNSENT, CUT_FAILED, CUT_UNCERTAIN]

function becomes(outcome: Outcome, progress: Partial<Progress> = {}, whenUnknown: WhenUnknown = 'repeat', own = true) {
  return next(NOW, 0.5, { ...FRESH, ...progress }, outcome, whenUnknown, LANDING, evidenceOf(own))
}

function evidenceOf(own: boolean) {
  return { own, alone: null }
}

describe('what becomes of a delivery', () => {
  const failing = { tries: 3, finds: 2, failingSince: NOW - 1, open: true }
  const tooLong = { ...failing, failingSince: NOW - ITEM_LIFETIME }

  test('When something else must come first, then it waits for it, is not charged, and what was open stays open', () => {
    const wait = { type: 'wait', until: NOW + 5 * MINUTE, code: 'no-such-order', why: 'not there' } as const
    expect(becomes(wait, failing)).toEqual({ ...failing, state: 'waiting', dueAt: NOW + 5 * MINUTE, why: 'not there' })
  })

  test('When it is delivered, then it is done, and nothing is open any more', () => {
    const done = { state: 'delivered', why: null, open: false, finds: 0, failingSince: null, tries: 3, dueAt: NOW }
    expect(becomes(DELIVERED, failing)).toEqual(done)
  })

  test('When it is refused for good, then it is dead', () => {
    expect(becomes(REFUSED, failing)).toMatchObject({ state: 'dead', why: 'it said 400', open: false, tries: 3 })
  })

  test('When it must not go out as it is, then it is held, not charged, and no more uncertain than it was', () => {
    const outcome: Outcome = { type: 'held', code: 'unbalanced', why: 'it does not balance' }
    expect(becomes(outcome)).toMatchObject({ state: 'held', why: 'it does not balance', open: false, tries: 0 })
    expect(becomes(outcome, failing)).toMatchObject({ state: 'held', open: true, tries: 3 })
  })

  test('When there is nothing to do, then it is superseded, and done', () => {
    const outcome: Outcome = { type: 'superseded', code: 'unchanged', why: 'it is there already' }
    const done = { state: 'superseded', why: 'it is there already', open: false, tries: 3, dueAt: NOW }
    for (const rule of ['repeat', 'find', 'hold'] as const) expect(becomes(outcome, failing, rule)).toMatchObject(done)
  })

  test('When its destination is down, then it waits, is not charged, and what was open stays open', () => {
    expect(becomes(DOWN, failing)).toEqual({ ...failing, state: 'waiting', dueAt: NOW, why: 'it said 503' })
    expect(becomes(DOWN, tooLong)).toMatchObject({ state: 'waiting', tries: 3 })
  })

  test('When it fails, then it waits for its next try', () => {
    const waits = { state: 'waiting', tries: 1, failingSince: NOW, open: false, why: 'it said 500' }
    expect(becomes(FAILED)).toEqual({ ...waits, finds: 0, dueAt: NOW + 5 * SECOND })
    const more = { state: 'waiting', tries: 4, failingSince: NOW - 1, open: false, dueAt: NOW + 4 * MINUTE }
    expect(becomes(FAILED, failing)).toMatchObject(more)
  })

  test('When the other side names an instant, then it is tried no sooner, but later if its own schedule says so', () => {
    const later = { ...FAILED, notBefore: NOW + MINUTE }
    expect(becomes(later).dueAt).toBe(NOW + MINUTE)
    expect(becomes({ ...later, notBefore: NOW + 1 }).dueAt).toBe(NOW + 5 * SECOND)
  })

  test('When it has been failing for three days, then it is dead', () => {
    expect(becomes(FAILED, { failingSince: NOW - ITEM_LIFETIME + 1 })).toMatchObject({ state: 'waiting' })
    const dead = { state: 'dead', why: 'failing for three days: it said 500', failingSince: null }
    expect(becomes(FAILED, { failingSince: NOW - ITEM_LIFETIME })).toMatchObject(dead)
  })

  test('When a clock that was ahead has said since when it fails, then its three days begin now', () => {
    expect(becomes(FAILED, { failingSince: NOW + ITEM_LIFETIME })).toMatchObject({ failingSince: NOW })
  })

  describe('and nobody gets through, so that it may be the destination', () => {
    const KEYS_REFUSED: Outcome = { ...FAILED, code: 'http-401', why: 'it said 401' }

    test('When it is refused or fails, then it is due again within 2 min, ages nothing, and is never dead', () => {
      for (const outcome of [FAILED, KEYS_REFUSED]) {
        const alone = (progress: Partial<Progress>) => becomes(outcome, progress, 'repeat', false)
        expect(alone({})).toMatchObject({ state: 'waiting', tries: 1, failingSince: NOW, dueAt: NOW + 5 * SECOND })
        expect(alone({ tries: 1 })).toMatchObject({ tries: 2, dueAt: NOW + 30 * SECOND })
        const capped = { state: 'waiting', tries: 3, failingSince: NOW, dueAt: NOW + 2 * MINUTE }
        for (const tries of [2, 3]) expect(alone({ ...tooLong, tries })).toMatchObject(capped)
      }
    })

    test('When its call is unanswered, and may be repeated, then less and less often, as copies may be there already', () => {
      const alone = (tries: number) => becomes(UNCERTAIN, { ...tooLong, tries }, 'repeat', false)
      const waits = [5, 120, 300, 1800, 3600].map((seconds) => NOW + seconds * SECOND)
      expect([0, 2, 4, 9, 13].map(alone).map(({ dueAt }) => dueAt)).toEqual(waits)
      expect(alone(9)).toMatchObject({ state: 'waiting', open: true, failingSince: NOW })
    })

    test('When its call is unanswered, and can be looked for, then that is done every 2 min at last', () => {
      const alone = (tries: number) => becomes(UNCERTAIN, { ...tooLong, tries }, 'find', false)
      expect([0, 1, 2, 8].map(alone).map(({ dueAt }) => dueAt - NOW)).toEqual([
        LANDING,
        30 * SECOND,
        2 * MINUTE,
        5 * MINUTE,
      ])
      expect(alone(2)).toMatchObject({ state: 'waiting', open: true, finds: 0, tries: 3, failingSince: NOW })
    })

    test('When it fails for a reason of its own (409), then that changes nothing', () => {
      const conflict: Outcome = { ...FAILED, code: 'http-409' }
      expect(becomes(conflict, failing, 'repeat', false)).toEqual(becomes(conflict, failing))
      expect(becomes(conflict, tooLong, 'repeat', false)).toMatchObject({ state: 'dead' })
    })
  })

  test('When it was refused as one too many, then it waits a moment, and is not charged', () => {
    const tooMany: Outcome = { ...DOWN, code: 'http-429' }
    expect(becomes(tooMany, failing)).toEqual({ ...failing, state: 'waiting', dueAt: NOW + SECOND, why: 'it said 503' })
  })

  describe('and its time was over', () => {
    test('When others get through, then it is charged, whatever its adapter says, and follows its own schedule', () => {
      for (const outcome of CUT) {
        const charged = { state: 'waiting', tries: 1, failingSince: NOW, dueAt: NOW + 5 * SECOND }
        expect(becomes(outcome)).toMatchObject(charged)
        expect(becomes(outcome, failing)).toMatchObject({ tries: 4, failingSince: NOW - 1, dueAt: NOW + 4 * MINUTE })
      }
      expect(becomes(CUT_UNSENT, failing).open).toBe(true)
      expect(becomes(CUT_FAILED, failing).open).toBe(false)
    })

    test('When others get through, and it has been so for three days, then it is dead; what may have had an effect is held', () => {
      for (const outcome of CUT) expect(becomes(outcome, tooLong)).toMatchObject({ state: 'dead' })
      expect(becomes(CUT_UNSENT, tooLong, 'find')).toMatchObject({ state: 'held', open: true })
      expect(becomes(CUT_UNSENT, { ...tooLong, open: false }, 'find')).toMatchObject({ state: 'dead', open: false })
    })

    test('When nobody gets through, then it counts, but only so far, is due within a probe, and is never dead', () => {
      for (const outcome of CUT) {
        const silent = (progress: Partial<Progress>) => becomes(outcome, progress, 'repeat', false)
        expect(silent({})).toMatchObject({ state: 'waiting', tries: 1, failingSince: NOW, dueAt: NOW + 5 * SECOND })
        expect(silent({ tries: 1 })).toMatchObject({ tries: 2, dueAt: NOW + 30 * SECOND })
        expect(silent({ tries: 2 })).toMatchObject({ tries: 2, dueAt: NOW + 30 * SECOND })
        expect(silent({ ...tooLong, tries: 12 })).toMatchObject({
          state: 'waiting',
          tries: 12,
          failingSince: NOW,
          dueAt: NOW + 5 * MINUTE,
        })
      }
      expect(becomes(CUT_UNSENT, failing, 'find', false)).toMatchObject({ open: true, finds: 2 })
    })

    test('When its effect must not be repeated and is uncertain, then that goes before', () => {
      for (const progress of [{}, failing, tooLong]) {
        expect(becomes(CUT_UNCERTAIN, progress, 'hold', false)).toEqual(becomes(UNCERTAIN, progress, 'hold'))
        const looksNext = { state: 'waiting', open: true, finds: 0, failingSince: NOW }
        expect(becomes(CUT_UNCERTAIN, progress, 'find', false)).toMatchObject(looksNext)
        expect(becomes(CUT_UNCERTAIN, progress, 'find', false).dueAt).toBeGreaterThanOrEqual(NOW + LANDING)
      }
    })
  })

  describe('and its effect is uncertain', () => {
    test('When it may be repeated, then it is tried again, and is open', () => {
      const again = { state: 'waiting', tries: 1, open: true, dueAt: NOW + 5 * SECOND, why: 'no answer' }
      expect(becomes(UNCERTAIN, {}, 'repeat')).toMatchObject(again)
    })

    test('When it was repeated for three days, then it is dead', () => {
      expect(becomes(UNCERTAIN, tooLong, 'repeat')).toMatchObject({
        state: 'dead',
        why: 'failing for three days: no answer',
      })
    })

    test('When nobody can look it up, then a person decides, however often it failed', () => {
      const held = { state: 'held', open: true, why: 'uncertain: no answer' }
      expect(becomes(UNCERTAIN, {}, 'hold')).toMatchObject({ ...held, tries: 0, failingSince: null })
      expect(becomes(UNCERTAIN, tooLong, 'hold')).toMatchObject({ ...held, tries: 3 })
    })

    test('When it can be looked up, then that is done once it must have landed', () => {
      const first = { state: 'waiting', open: true, tries: 1, finds: 0, dueAt: NOW + LANDING, why: 'no answer' }
      expect(becomes(UNCERTAIN, {}, 'find')).toMatchObject(first)
      expect(becomes(UNCERTAIN, failing, 'find')).toMatchObject({ tries: 4, finds: 0, dueAt: NOW + 4 * MINUTE })
    })

    test('When it was uncertain again and again for three days, then a person decides', () => {
      const held = { state: 'held', open: true, why: 'failing for three days: no answer' }
      expect(becomes(UNCERTAIN, tooLong, 'find')).toMatchObject(held)
    })

    test('When the look itself fails while others get through, then it is looked for again soon, and after the tenth a person decides', () => {
      const waits = [5, 30, 120, 300, 300, 300, 300, 300, 3600].map((seconds) => ['waiting', NOW + seconds * SECOND])
      const looks = Array.from({ length: 10 }, (_, finds) => finds).map((finds) =>
        becomes(NOT_FOUND_OUT, { tries: 1, finds, open: true }, 'find'),
      )
      expect(looks.map(({ state, dueAt }) => [state, dueAt])).toEqual([...waits, ['held', NOW]])
      expect(looks.map(({ tries, finds, open }) => [tries, finds, open])).toEqual(
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [1, n, true]),
      )
      expect(looks[9]?.why).toBe('uncertain: the look failed')
    })

    test('When a look came further, then it goes on in seconds and does not count, for an hour', () => {
      const unfinished: Outcome = { type: 'unknown', code: FIND_UNFINISHED, why: 'the look failed' }
      const looked = { tries: 1, finds: 3, open: true, failingSince: NOW - MINUTE }
      expect(becomes(unfinished, looked, 'find')).toEqual({
        ...looked,
        state: 'waiting',
        dueAt: NOW + 5 * SECOND,
        why: 'the look failed',
      })
      expect(becomes(unfinished, { ...looked, failingSince: NOW - 60 * MINUTE }, 'find')).toMatchObject({
        finds: 4,
        dueAt: NOW + 5 * MINUTE,
      })
    })

    test('When the look itself fails while nobody gets through, then it is looked for every 2 min at last, for as long as it takes', () => {
      const look = (finds: number) => becomes(NOT_FOUND_OUT, { ...tooLong, finds }, 'find', false)
      const waits = [5, 30, 120, 120, 120].map((seconds) => ['waiting', NOW + seconds * SECOND])
      expect([0, 1, 2, 3, 5].map(look).map(({ state, dueAt }) => [state, dueAt])).toEqual(waits)
      expect(look(5)).toMatchObject({ finds: 5, tries: 3, open: true, failingSince: NOW })
    })

    test('When the look found nothing and the new call fails, then it is certain again', () => {
      expect(becomes(FAILED, { tries: 1, finds: 2, open: true }, 'find')).toMatchObject({ open: false, finds: 0 })
    })
  })
})

describe('whatever happens to a delivery', () => {
  const progress = fc.record({
    tries: fc.nat(30),
    finds: fc.nat(8),
    failingSince: fc.option(fc.integer({ min: NOW - 2 * ITEM_LIFETIME, max: NOW })),
    open: fc.boolean(),
  })
  const outcome = fc.constantFrom(DELIVERED, REFUSED, FAILED, DOWN, UNCERTAIN, NOT_FOUND_OUT, ...CUT)
  const whenUnknown = fc.constantFrom<WhenUnknown>('repeat', 'find', 'hold')
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  test('then it is due at once or later, says why unless it is done, and counts up at most one', () => {
    fc.assert(
      fc.property(progress, outcome, whenUnknown, random, fc.boolean(), (before, what, rule, chance, answers) => {
        const result = next(NOW, chance, before, what, rule, LANDING, evidenceOf(answers))
        expect(result.dueAt).toBeGreaterThanOrEqual(NOW)
        expect(result.why === null).toBe(result.state === 'delivered')
        expect(result.tries - before.tries).toBeOneOf([0, 1])
        if (result.state === 'held') expect(result.open).toBe(true)
      }),
    )
  })

  test('then no sequence of outcomes keeps it at no tries for ever while its time runs out', () => {
    const attempt = fc.record({ what: outcome, chance: random, answers: fc.boolean(), pause: fc.nat(12 * 60 * MINUTE) })
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), whenUnknown, (attempts, rule) => {
        let [now, cut] = [NOW, 0]
        let state = { ...FRESH, state: 'waiting', dueAt: NOW }
        for (const { what, chance, answers, pause } of attempts) {
          if (state.state !== 'waiting') return
          now = Math.max(now + pause, state.dueAt)
          const before = state
          state = next(now, chance, before, what, rule, LANDING, evidenceOf(answers))
          if (!CUT.includes(what)) continue
          cut += 1
          // It has its turn again after others, and no sooner than its first pause says.
          if (state.state === 'waiting') expect(state.dueAt - now).toBeGreaterThanOrEqual(4 * SECOND)
          if (state.state === 'dead') expect(answers).toBe(true)
        }
        if (state.state === 'waiting' && cut > 0) expect(state.tries).toBeGreaterThan(0)
      }),
    )
  })

  test('then what hangs for ever among others that pass is dead or held in the end, as what fails is', () => {
    for (const what of CUT)
      for (const rule of ['repeat', 'find'] as const) {
        let now = NOW
        let state = next(now, 0.5, FRESH, what, rule, LANDING, evidenceOf(false))
        for (; state.state === 'waiting'; state = next(now, 0.5, state, what, rule, LANDING, evidenceOf(true)))
          now = state.dueAt
        expect(state.state).toBe(rule === 'find' && what === CUT_UNCERTAIN ? 'held' : 'dead')
        expect(now - NOW).toBeLessThan(ITEM_LIFETIME * 1.25)
      }
  })

  test('then an uncertain effect that must not be repeated is never erased', () => {
    fc.assert(
      fc.property(progress, random, (before, chance) => {
        for (const rule of ['find', 'hold'] as const)
          expect(next(NOW, chance, before, UNCERTAIN, rule, LANDING)).toMatchObject({ open: true })
      }),
    )
  })

  test('then what fails for ever is dead or held in the end, some days later', () => {
    for (const [what, rule, end] of [
      [FAILED, 'repeat', 'dead'],
      [UNCERTAIN, 'repeat', 'dead'],
      [UNCERTAIN, 'find', 'held'],
    ] as const) {
      let now = NOW
      let state = next(now, 0.999, FRESH, what, rule, LANDING)
      while (state.state === 'waiting') {
        now = state.dueAt
        state = next(now, 0.999, state, what, rule, LANDING)
      }
      expect(state.state).toBe(end)
      expect(now - NOW).toBeGreaterThanOrEqual(ITEM_LIFETIME)
      expect(now - NOW).toBeLessThan(ITEM_LIFETIME * 1.25)
      expect(state.tries).toBeLessThan(25)
    }
  })
})
