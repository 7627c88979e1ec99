import { describe, expect, test } from 'vitest'
import { LEFT, type Tried } from '../../../src/delivery/calling/attempt.ts'
import { createApart, heldFor } from '../../../src/delivery/standing/apart.ts'
import type { Standing } from '../../../src/delivery/standing/standing.ts'
import type { Outcome } from '../../../src/domain/queue/outcome.ts'
import type { Claim } from '../../../src/store/claim.ts'
import { claimOf, DELIVERED, settled } from '../kit/parts.ts'

const AWAY: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'unreachable', why: 'away' }

/** What the hub stood still over: these for certain, of those one may be it. */
function given({ stood = [] as number[], suspects = [] as number[], isRunning = (): boolean => true } = {}) {
  const alone: (number | null)[] = []
  const forgotten: number[] = []
  const standing = {
    isQuiet: () => stood.length + suspects.length === 0,
    stoodFor: (delivery: number) => (stood.includes(delivery) ? 4_000 : null),
    isSuspect: (delivery: number) => suspects.includes(delivery),
    alone: (delivery: number | null) => void alone.push(delivery),
    forget: (deliveries: readonly number[]) => void forgotten.push(...deliveries),
  } as unknown as Standing
  const apart = createApart(standing, isRunning)
  const calls: number[][] = []
  const work = async (claims: readonly Claim[], outcome: Outcome = DELIVERED): Promise<Tried> => {
    calls.push(claims.map(({ delivery }) => delivery.id))
    return { outcomes: claims.map(() => outcome), told: outcome, calls: 1, toldApart: new Set() }
  }
  return { apart, work, calls, alone, forgotten, stood }
}

const claimsOf = (...ids: number[]) => ids.map((id) => claimOf({ id }))

describe('what was claimed for one call', () => {
  test('when the hub stood still over nothing, then all of it goes out together', async () => {
    const { apart, work, calls, alone } = given()
    expect(await apart(claimsOf(1, 2), work)).toEqual({
      outcomes: [DELIVERED, DELIVERED],
      told: DELIVERED,
      calls: 1,
      toldApart: new Set(),
    })
    expect([calls, alone]).toEqual([[[1, 2]], []])
  })

  test('when it stood still over one of them, then that is held, not tried, and the others go out', async () => {
    const { apart, work, calls } = given({ stood: [2], suspects: [2] })
    const { outcomes } = await apart(claimsOf(1, 2, 3), work)
    expect(calls).toEqual([[1, 3]])
    expect(outcomes).toEqual([
      DELIVERED,
      { type: 'held', code: 'stood-still', why: 'it kept the hub standing' },
      DELIVERED,
    ])
  })

  test('when one of several may be it, then each of these is tried alone, after the others, and is known no more', async () => {
    const { apart, work, calls, alone, forgotten } = given({ suspects: [1, 3] })
    expect((await apart(claimsOf(1, 2, 3), work)).outcomes).toEqual([DELIVERED, DELIVERED, DELIVERED])
    expect(calls).toEqual([[2], [1], [3]])
    expect(alone).toEqual([1, null, 3, null])
    expect(forgotten).toEqual([1, 3])
  })

  test('when all of them may be it, then there is no call of none', async () => {
    const { apart, work, calls } = given({ suspects: [1] })
    await apart(claimsOf(1), work)
    expect(calls).toEqual([[1]])
  })

  test('when the hub stands still over it again while it is alone, then it is not forgotten', async () => {
    const { apart, work, forgotten, stood } = given({ suspects: [1] })
    await apart(claimsOf(1), (claims) => {
      stood.push(1)
      return work(claims)
    })
    expect(forgotten).toEqual([])
  })

  test('when its work fails, then it is alone no more all the same', async () => {
    const { apart, alone } = given({ suspects: [1] })
    await expect(apart(claimsOf(1), () => Promise.reject(new Error('oops')))).rejects.toThrow('oops')
    expect(alone).toEqual([1, null])
  })

  test('when the hub stops before its turn, then it is left, and the destination was not called', async () => {
    const { apart, work, calls, alone, forgotten } = given({ suspects: [1], isRunning: () => false })
    expect(await apart(claimsOf(1), work)).toEqual({ outcomes: [LEFT], told: null, calls: 0, toldApart: new Set() })
    expect([calls, alone, forgotten]).toEqual([[], [], []])
  })

  test('when two calls have such ones, then these go one after the other in the whole hub', async () => {
    const { apart, work, calls } = given({ suspects: [1, 2] })
    const first = Promise.withResolvers<void>()
    const one = apart(claimsOf(1), async (claims) => {
      const tried = await work(claims)
      await first.promise
      return tried
    })
    const other = apart(claimsOf(2), work)
    await settled()
    expect(calls).toEqual([[1]])
    first.resolve()
    await Promise.all([one, other])
    expect(calls).toEqual([[1], [2]])
  })

  test('when some tell that the destination is in trouble, then that is told, whoever did', async () => {
    const { apart, work } = given({ suspects: [1] })
    const { told } = await apart(claimsOf(1, 2), (claims) =>
      work(claims, claims[0]?.delivery.id === 1 ? AWAY : DELIVERED),
    )
    expect(told).toBe(AWAY)
    const none = await given({ stood: [1] }).apart(claimsOf(1), work)
    expect(none.told).toBe(null)
  })

  test('when nothing is said of one, then it is left for later', async () => {
    const { apart } = given({ suspects: [9] })
    expect(
      await apart(claimsOf(1), async () => ({ outcomes: [], told: null, calls: 0, toldApart: new Set<number>() })),
    ).toEqual({
      outcomes: [LEFT],
      told: null,
      calls: 0,
      toldApart: new Set(),
    })
  })
})

describe('the outcome of what the hub stood still over', () => {
  const claim = claimOf({ id: 7 })

  test.each<Outcome>([
    DELIVERED,
    { type: 'superseded', code: 'unchanged', why: '' },
    { type: 'dead', code: 'http-400', why: '' },
  ])('when it is $type all the same, then so it stays', (outcome) => {
    expect(heldFor(4_000, claim, outcome)).toBe(outcome)
  })

  test('when it failed, then a person is told for how long, of which flow, and what to type', () => {
    expect(heldFor(4_260, claim, AWAY)).toEqual({
      type: 'held',
      code: 'stood-still',
      why: 'its payload kept the hub standing for 4.3 s (flow publish to bus): look at it with "events show 1"; release it with "deliveries retry 7"',
    })
    expect(heldFor(10_000, claim, AWAY)).toMatchObject({ why: expect.stringContaining('for 10 s') })
    expect(heldFor(9_949, claim, AWAY)).toMatchObject({ why: expect.stringContaining('for 9.9 s') })
  })

  test('when it may have had its effect, then it stays uncertain, and only a person can find out', () => {
    const unknown: Outcome = { type: 'unknown', code: 'no-answer', why: '' }
    expect(heldFor(4_000, claim, unknown)).toMatchObject({ type: 'unknown', code: 'stood-still', byHand: true })
  })
})
