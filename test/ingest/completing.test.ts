import { expect, test } from 'vitest'
import { createCompleting } from '../../src/ingest/accept.ts'
import type { Arrival, Verdict } from '../../src/storage/arrival.ts'

const ARRIVAL: Pick<Arrival, 'body'> = { body: Buffer.from('{"richer":true}') }
const COPY = { id: 7, status: 'duplicate', comparable: true } as Verdict

/** `answers`: what each commit comes to; the first event has another body at each look. */
function given(answers: Verdict[], { body = Buffer.from('{}') as Buffer | null, isRicher = true } = {}) {
  const committed: Arrival[] = []
  let looks = 0
  const complete = createCompleting(
    { event: async (id) => ({ id, body, bodyHash: `hash-${++looks}` }) as never },
    { completes: async () => isRicher },
    async (arrival) => {
      committed.push(arrival)
      return answers[committed.length - 1] ?? COPY
    },
  )
  return { complete, committed }
}

test('When a copy is richer, then it is committed over the bytes that it was compared with', async () => {
  const taken = { ...COPY, status: 'completed' } as unknown as Verdict
  const { complete, committed } = given([taken])

  expect(await complete(ARRIVAL as Arrival, COPY)).toBe(taken)
  expect(committed).toEqual([{ ...ARRIVAL, completes: { event: 7, bodyHash: 'hash-1' } }])
})

test('When others complete the same one meanwhile, then it is compared three times at most', async () => {
  const { complete, committed } = given([])

  expect(await complete(ARRIVAL as Arrival, COPY)).toEqual(COPY)
  expect(committed.map(({ completes }) => completes?.bodyHash)).toEqual(['hash-1', 'hash-2', 'hash-3'])
})

test.each([
  ['says no more than the first', {}, { isRicher: false }],
  ['cannot be compared', { comparable: false }, {}],
  ['is no copy', { status: 'accepted' }, {}],
  ['is of one whose body has gone', {}, { body: null }],
])('When it %s, then it stays a copy', async (_what, verdict, first) => {
  const copy = { ...COPY, ...verdict } as Verdict
  const { complete, committed } = given([], first)

  expect(await complete(ARRIVAL as Arrival, copy)).toEqual(copy)
  expect(committed).toEqual([])
})
