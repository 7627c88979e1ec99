import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/domain/queue/outcome.ts'
import { HeldError, PermanentError, RefusedTogetherError } from '../../src/domain/values/errors.ts'
import type { BatchItem, Ports } from '../../src/ports/ports.ts'
import { begin } from '../../src/queue/call.ts'
import { attempt, strongerEvidence } from '../../src/queue/execute.ts'
import type { ClaimedDelivery } from '../../src/storage/claim.ts'
import { claimOf, createStillClock, DELIVERED, destinationOf, eventOf, flowOf, NOW } from './kit/parts.ts'
import { sourcesOf } from './sources.ts'

interface Given {
  /** What becomes of a call of these deliveries: nothing wrong, or an error for all of them. */
  ends?: (ids: number[]) => Error | undefined
  isRunning?: () => boolean
  /** How far the clock goes during a call, and when the last may begin. */
  takes?: number
  lastCallAt?: number
  unmade?: readonly number[]
}

/** Tries deliveries together on a port that takes several; each is named by its id. */
async function trying(
  deliveries: Partial<ClaimedDelivery>[],
  { ends = () => undefined, isRunning = () => true, takes = 0, lastCallAt = NOW + 1, unmade = [] }: Given = {},
) {
  const calls: number[][] = []
  const clock = createStillClock()
  const setLevels = async (batch: readonly BatchItem<number>[]) => {
    const ids = batch.map(({ argument }) => argument)
    calls.push(ids)
    clock.advance(takes)
    const error = ends(ids)
    if (error) throw error
    return ids.map((id) => ({ note: `no. ${id}` }))
  }
  const flow = flowOf('levels', {
    port: 'stock',
    call({ id }) {
      if (unmade.includes(id)) throw new HeldError('no article', { code: 'no-article' })
      return { port: 'stock', method: 'setLevels', argument: id } as never
    },
  })
  const claims = deliveries.map((one, no) =>
    claimOf({ id: no + 1, ...one }, { event: eventOf({}, { id: one.id ?? no + 1 }) }),
  )
  const { sources } = sourcesOf()
  const tools = {
    ...sources,
    clock,
    underWay: new Map<number, AbortController>(),
    isRunning,
    eventLoop: { hasStalledSince: () => false },
    lastCallAt,
  }
  const destination = destinationOf({ ports: { stock: { setLevels } } as unknown as Ports })
  const batch = claims.map((claim) => begin(claim, flow, destination, sources, NOW))
  const told = { mostTelling: null as Outcome | null, calls: 0 }
  await attempt(batch, flow, destination, told, tools)
  const outcomes = batch.map(({ outcome }) => outcome)
  const codes = outcomes.map((outcome) => outcome && ('code' in outcome ? outcome.code : outcome.note))
  return { outcomes, mostTelling: told.mostTelling, calls, codes }
}

const many = (count: number, more: Partial<ClaimedDelivery> = {}) => Array.from({ length: count }, () => more)
const refusedWith = (bad: number) => (ids: number[]) =>
  ids.includes(bad)
    ? ids.length > 1
      ? new RefusedTogetherError('one is bad', { code: 'http-400' })
      : new PermanentError('bad', { code: 'http-400' })
    : undefined

describe('what goes out together', () => {
  test('when the call of one cannot be made, then the others go out, and it alone ends by itself', async () => {
    const { calls, codes } = await trying(many(3), { unmade: [2] })
    expect([calls, codes]).toEqual([[[1, 3]], ['no. 1', 'no-article', 'no. 3']])
  })
  test('when the time for halves is over and none was executed, then that counts: else it would go on for ever', async () => {
    const { outcomes } = await trying(many(2), { ends: refusedWith(1), takes: 1 })
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'not-its-turn', cut: true })
  })

  test('when its time was over before it could be sent, then nothing is sent, and that counts', async () => {
    const { outcomes, calls, mostTelling } = await trying(many(2), { lastCallAt: NOW })
    expect(calls).toEqual([])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        type: 'retry',
        scope: 'destination',
        notBefore: null,
        code: 'too-late',
        cut: true,
      })
    expect(mostTelling).toBe(null)
  })
})

describe('when every call is refused as it may be for everything', () => {
  const wide = { code: 'http-404', mayBeWide: true }
  const refusal = (ids: number[]) =>
    ids.length > 1 ? new RefusedTogetherError('no', wide) : new PermanentError('no', wide)

  test('then no more halves go out than would find one bad item, and the rest is not charged', async () => {
    const { calls, codes } = await trying(many(32), { ends: refusal })
    expect(calls).toHaveLength(16)
    expect(codes.slice(0, 2)).toEqual(['http-404', 'http-404'])
    expect(codes.at(-1)).toBe('not-its-turn')
  })

  test('and one is taken between, then it goes on until each is known', async () => {
    const taken = [1, 9, 17, 25]
    const { codes } = await trying(many(32), {
      ends: (ids) => (ids.length === 1 && taken.includes(ids[0] ?? 0) ? undefined : refusal(ids)),
    })
    expect(codes.filter((code) => code !== 'http-404')).toEqual(taken.map((id) => `no. ${id}`))
  })

  test('but only for what it is about, then all halves go out', async () => {
    const own = { code: 'http-400' }
    const { calls } = await trying(many(32), {
      ends: (ids) => (ids.length > 1 ? new RefusedTogetherError('no', own) : new PermanentError('no', own)),
    })
    expect(calls).toHaveLength(63)
  })
})

describe('which of several outcomes tells how a destination is', () => {
  const away: Outcome = { type: 'retry', scope: 'destination', notBefore: null, code: 'unreachable', why: '' }
  const cut: Outcome = { ...away, cut: true }
  const refused: Outcome = { type: 'dead', code: 'http-400', why: '' }
  const unknown: Outcome = { type: 'unknown', code: 'no-answer', why: '' }

  test('when one of them is outage, then that does; then what was done, then what was refused, then what was cut', () => {
    const inOrder = [away, DELIVERED, refused, cut, unknown]
    for (const [place, more] of inOrder.entries())
      for (const less of inOrder.slice(place + 1)) {
        expect(strongerEvidence(less, more)).toBe(more)
        expect(strongerEvidence(more, less)).toBe(more)
      }
  })
})
