import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Candidate, completes, decide, type KnownKeys, otherOfKey } from '../../../src/domain/queue/dedupe.ts'
import { otherCase, pulledSettlement, sale, settlement } from '../../fixtures/payloads.ts'

const HOUR = 3_600_000
const WINDOW = 24 * HOUR
const NOW = Date.parse('2026-11-20T14:00:00Z')

/** `hasTransportKey`: it came with one. */
type Given = Candidate & { hasTransportKey: boolean }

function arrival(given: Partial<Given> = {}): Given {
  const nothing = {
    identity: null,
    versioned: false,
    subscription: 'all',
    exact: false,
    hasTransportKey: false,
    problem: null,
    facts: null,
  }
  return { kind: 'SaleCreated', ...nothing, bodyHash: 'a', receivedAt: NOW, ...given }
}

function known(given: Partial<KnownKeys> = {}): KnownKeys {
  return { byTransportKey: null, byIdentity: null, byBytes: null, ...given }
}

const decided = (given: Given, memory: KnownKeys) => decide(given, memory, WINDOW, given.hasTransportKey)

test('When facts name times that cannot be read, then they are compared as they are written', () => {
  const of = (time: string) => arrival({ identity: 'A', bodyHash: time, facts: ['349', time, '101'] })
  const seen = { id: 7, revision: 0, receivedAt: NOW - HOUR, subscription: 'all', hasKey: true }
  const decideOn = (time: string) =>
    decided(of(time), known({ byIdentity: { ...seen, bodyHash: 'soon', facts: of('soon').facts } })).type
  expect([decideOn('soon'), decideOn('later')]).toEqual(['duplicate', 'conflict'])
})

test('When a clock that was years ahead has dated what has the same bytes, then what comes once it is put back is no copy, years long', () => {
  const seenAt = (receivedAt: number) => decided(arrival(), known({ byBytes: { id: 7, receivedAt } })).type
  expect([seenAt(NOW + 700 * 24 * HOUR), seenAt(NOW + 2 * HOUR)]).toEqual(['new', 'duplicate'])
  const reported = { repeatable: true, versioned: true, identity: 'A', subscription: 'other', hasTransportKey: true }
  const latest = { id: 7, revision: 1, bodyHash: 'a', facts: null, subscription: 'all', hasKey: true }
  const againAt = (receivedAt: number) =>
    decided(arrival(reported), known({ byIdentity: { ...latest, receivedAt } })).type
  expect([againAt(NOW + 700 * 24 * HOUR), againAt(NOW + 2 * HOUR)]).toEqual(['new', 'duplicate'])
})

/** The order of design §5. */
describe('who decides whether an arrival is news', () => {
  const fact = arrival({ identity: 'A', facts: ['349', '2026-11-20T14:03:27', '101'] })
  const thing = arrival({ identity: 'A', versioned: true })
  const before = { receivedAt: NOW - HOUR, subscription: 'all', hasKey: true }
  const seen = { id: 7, revision: 0, bodyHash: 'a', facts: fact.facts, ...before }
  const latest = { id: 9, revision: 3, bodyHash: 'a', facts: null, ...before }

  const named = { id: 1, kind: 'SaleCreated', identity: 'A', bodyHash: 'a' }
  const keyed = (one: Given): Given => ({ ...one, hasTransportKey: true })

  test('1. When the transport key came with the same kind and bytes, then it is a duplicate, whatever else is known', () => {
    const memory = known({ byTransportKey: named, byIdentity: seen, byBytes: { id: 3, receivedAt: NOW } })
    for (const one of [arrival(), fact, thing]) {
      expect(decided(keyed(one), memory)).toEqual({ type: 'duplicate', of: 1, otherBytes: false })
      expect(otherOfKey(keyed(one), memory)).toBeNull()
    }
  })

  test('1. When it came with other bytes of the same identity, then the identity decides, as without a key', () => {
    const memory = known({ byTransportKey: named, byIdentity: seen })
    expect(decided(keyed({ ...fact, bodyHash: 'b' }), memory)).toEqual({ type: 'duplicate', of: 7, otherBytes: true })
    const dearer = keyed({ ...fact, bodyHash: 'b', facts: ['1', null, null] })
    expect(decided(dearer, memory)).toEqual({ type: 'conflict', with: 7 })
    const changed = keyed({ ...thing, bodyHash: 'b' })
    expect(decided(changed, known({ byTransportKey: named, byIdentity: latest }))).toEqual({ type: 'new', revision: 4 })
    const back = known({ byTransportKey: { ...named, bodyHash: 'c' }, byIdentity: latest })
    expect(decided(keyed(thing), back)).toEqual({ type: 'duplicate', of: 9, otherBytes: false })
    for (const one of [dearer, changed]) expect(otherOfKey(one, memory)).toBeNull()
  })

  test.each([
    ['another identity', { identity: 'B', bodyHash: 'b' }],
    ['another kind', { kind: 'GiftCardCreated' }],
    ['no identity and other bytes', { identity: null, bodyHash: 'b' }],
  ])('1. When it came before, and this one has %s, then it is news, and the key is known to be reused', (_, given) => {
    const one = keyed({ ...fact, ...given })
    expect(decided(one, known({ byTransportKey: named }))).toEqual({ type: 'new', revision: 0 })
    expect(otherOfKey(one, known({ byTransportKey: named }))).toBe(1)
  })

  test('1. When the key is the promise of an own system, or the bytes are broken, then it is a duplicate', () => {
    const memory = known({ byTransportKey: named, byIdentity: seen })
    for (const given of [
      { exact: true, identity: 'B' },
      { identity: null, problem: 'not JSON' },
    ]) {
      const one = keyed({ ...fact, ...given, bodyHash: 'b' })
      expect(decided(one, memory)).toEqual({ type: 'duplicate', of: 1, otherBytes: false })
      expect(otherOfKey(one, memory)).toBeNull()
    }
  })

  test('2. When an immutable fact was seen, then it is a duplicate, by any transport key', () => {
    for (const hasTransportKey of [false, true]) {
      const again = { ...fact, hasTransportKey }
      expect(decided(again, known({ byIdentity: seen }))).toEqual({ type: 'duplicate', of: 7, otherBytes: false })
      const other = { ...again, bodyHash: 'b' }
      expect(decided(other, known({ byIdentity: seen }))).toEqual({ type: 'duplicate', of: 7, otherBytes: true })
    }
  })

  test('2. When it is exact, then other bytes are a conflict, and the same bytes are a duplicate', () => {
    const exact = { ...fact, exact: true, facts: null }
    const memory = known({ byIdentity: { ...seen, facts: null } })
    expect(decided(exact, memory)).toEqual({ type: 'duplicate', of: 7, otherBytes: false })
    for (const hasTransportKey of [false, true])
      expect(decided({ ...exact, hasTransportKey, bodyHash: 'b' }, memory)).toEqual({ type: 'conflict', with: 7 })
    expect(decided(exact, known())).toEqual({ type: 'new', revision: 0 })
    expect(
      decided({ ...thing, exact: true, hasTransportKey: true, bodyHash: 'b' }, known({ byIdentity: latest })),
    ).toEqual({ type: 'new', revision: 4 })
  })

  test.each([
    ['amount', ['350', '2026-11-20T14:03:27', '101']],
    ['time', ['349', '2026-11-20T14:03:28', '101']],
    ['time without a zone', ['349', '2026-11-20T15:03:27', '101']],
    ['time in no zone that there is', ['349', '2026-11-20T13:03:28Z', '101']],
    ['day', ['349', '2026-11-22T14:03:27Z', '101']],
    ['store', ['349', '2026-11-20T14:03:27', '102']],
  ] as [string, Candidate['facts']][])('2. When its %s is another, then it is a conflict', (_, facts) => {
    expect(decided({ ...fact, facts, bodyHash: 'b' }, known({ byIdentity: seen }))).toEqual({
      type: 'conflict',
      with: 7,
    })
  })

  test.each([
    ['the amount is written otherwise', ['349.00', '2026-11-20T14:03:27', '101']],
    ['the time is written otherwise', ['349', '2026-11-20T15:03:27.000+01:00', '101']],
    ['the time is of a clock in another zone', ['349', '2026-11-20T12:03:27.4Z', '101']],
    ['the store is written otherwise', ['349', '2026-11-20T14:03:27', ' 101']],
    ['it says less', ['349', null, null]],
    ['it says nothing', null],
  ] as [string, Candidate['facts']][])('2. When %s, then it is no conflict', (_, facts) => {
    const decision = decided({ ...fact, facts, bodyHash: 'b' }, known({ byIdentity: seen }))
    expect(decision).toEqual({ type: 'duplicate', of: 7, otherBytes: true })
  })

  test('2. When it is new, then it has revision 0', () => {
    expect(decided(fact, known())).toEqual({ type: 'new', revision: 0 })
  })

  test('3. When a versioned kind has a new transport key, then it is a new revision, even of the same body', () => {
    const again = { ...thing, hasTransportKey: true }
    expect(decided(again, known({ byIdentity: latest }))).toEqual({ type: 'new', revision: 4 })
  })

  test('4. When it has none, then only a body equal to the latest revision is a duplicate', () => {
    expect(decided(thing, known({ byIdentity: latest }))).toEqual({ type: 'duplicate', of: 9, otherBytes: false })
    expect(decided({ ...thing, bodyHash: 'b' }, known({ byIdentity: latest }))).toEqual({ type: 'new', revision: 4 })
    expect(decided(thing, known())).toEqual({ type: 'new', revision: 1 })
  })

  const again = arrival({ identity: 'A', versioned: true, repeatable: true, hasTransportKey: true })
  const copy = { type: 'duplicate', of: 9, otherBytes: false }

  test('4b. When what people repeat has a transport key of its own, then it is news, whatever its bytes', () => {
    for (const bodyHash of ['a', 'b'])
      expect(decided({ ...again, bodyHash }, known({ byIdentity: latest }))).toEqual({ type: 'new', revision: 4 })
    expect(decided(again, known())).toEqual({ type: 'new', revision: 1 })
  })

  test('4b. When the same comes by another subscription, under the key that it has there, then it is a copy, for the window', () => {
    const other = { ...again, subscription: '101' }
    expect(decided(other, known({ byIdentity: latest }))).toEqual(copy)
    expect(decided({ ...other, bodyHash: 'b' }, known({ byIdentity: latest }))).toEqual({ type: 'new', revision: 4 })
    const old = { ...latest, receivedAt: NOW - WINDOW }
    expect(decided(other, known({ byIdentity: old }))).toEqual({ type: 'new', revision: 4 })
  })

  test('4b. When one of the two has a transport key and the other none, then it is a copy: nothing tells them apart', () => {
    for (const bodyHash of ['a', 'b']) {
      const unnamed = { ...latest, hasKey: false }
      expect(decided({ ...again, bodyHash }, known({ byIdentity: unnamed }))).toEqual(copy)
      expect(decided({ ...again, bodyHash, hasTransportKey: false }, known({ byIdentity: latest }))).toEqual(copy)
    }
  })

  test('4b. When a key that stands for it comes again with other bytes, then it is a copy, whatever came by the other source since', () => {
    const byTransportKey = { id: 7, kind: again.kind, identity: 'A', bodyHash: 'a' }
    for (const hasKey of [true, false])
      expect(
        decided({ ...again, bodyHash: 'b' }, known({ byTransportKey, byIdentity: { ...latest, hasKey } })),
      ).toEqual({ ...copy, of: 7 })
  })

  test('4b. When neither has one, then other bytes are news, and the same bytes are a copy', () => {
    const memory = known({ byIdentity: { ...latest, hasKey: false } })
    const unnamed = { ...again, hasTransportKey: false }
    expect(decided(unnamed, memory)).toEqual(copy)
    expect(decided({ ...unnamed, bodyHash: 'b' }, memory)).toEqual({ type: 'new', revision: 4 })
  })

  test('5. When there is neither identity nor transport key, then the same bytes within the window are a duplicate', () => {
    const copyFrom = (receivedAt: number) => decided(arrival(), known({ byBytes: { id: 3, receivedAt } }))
    expect(copyFrom(NOW)).toEqual({ type: 'duplicate', of: 3, otherBytes: false })
    expect(copyFrom(NOW - WINDOW + 1)).toEqual({ type: 'duplicate', of: 3, otherBytes: false })
    expect(copyFrom(NOW - WINDOW)).toEqual({ type: 'new', revision: 0 })
    expect(decided(arrival(), known())).toEqual({ type: 'new', revision: 0 })
  })

  test('5. When there is a transport key of its own, then the same bytes are two events', () => {
    const memory = known({ byBytes: { id: 3, receivedAt: NOW } })
    expect(decided(arrival({ hasTransportKey: true }), memory)).toEqual({ type: 'new', revision: 0 })
  })
})

describe('whether a body completes another', () => {
  test('When the pulled settlement says all that the pushed one says, and more, then it completes it', () => {
    expect(completes(pulledSettlement(), settlement())).toBe(true)
    expect(completes(settlement(), pulledSettlement())).toBe(false)
  })

  test.each([
    ['says the same', { a: 1 }, { a: 1 }],
    ['says the same in other case', { A: 1, B: [{ c: 'x' }] }, { a: 1, b: [{ C: 'x' }] }],
    ['says something else', { a: 2, b: 1 }, { a: 1 }],
    ['lacks something', { b: 1 }, { a: 1 }],
    ['has null where there was 0', { a: null, b: 1 }, { a: 0 }],
    ['has null where there was false', { a: null, b: 1 }, { a: false }],
    ['has an empty list where there was 0', { a: [], b: 1 }, { a: 0 }],
    ['has nothing where there was a list', { b: 1 }, { a: [] }],
    ['has fewer lines', { a: [1], b: 1 }, { a: [1, 2] }],
    ['has the lines in another order', { a: [2, 1], b: 1 }, { a: [1, 2] }],
    ['has an object where there was text', { a: {}, b: 1 }, { a: 'x' }],
    ['is no object', 'text', { a: 1 }],
  ])('When it %s, then it does not', (_, richer, sparser) => {
    expect(completes(richer, sparser)).toBe(false)
  })

  test.each([
    ['a field', { a: 1, b: 2 }, { a: 1 }],
    ['a value for null', { a: 1, b: 2 }, { a: 1, b: null }],
    ['a value for empty text', { a: 'x' }, { a: '' }],
    ['a line', { a: [1, 2] }, { a: [1] }],
    ['a field of a line', { A: [{ x: 1, Y: 2 }] }, { a: [{ X: 1 }] }],
    ['a field, and its numbers are text', { a: '1.50', b: 1 }, { a: 1.5 }],
  ])('When it adds %s, then it does', (_, richer, sparser) => {
    expect(completes(richer, sparser)).toBe(true)
  })

  test('When bodies are a hundred deep, then they are compared; deeper ones are not', () => {
    const deep = (depth: number, inside: unknown): unknown => (depth === 0 ? inside : { a: deep(depth - 1, inside) })
    expect(completes(deep(99, { a: 1, b: 2 }), deep(99, { a: 1 }))).toBe(true)
    expect(completes(deep(101, { a: 1, b: 2 }), deep(101, { a: 1 }))).toBe(false)
    const list = (depth: number, inside: unknown): unknown => (depth === 0 ? inside : [list(depth - 1, inside)])
    expect(completes(list(101, [1, 2]), list(101, [1]))).toBe(false)
  })

  test('When numbers are written otherwise, then they are the same, unless they are texts without end', () => {
    const zeros = (length: number) => `1.5${'0'.repeat(length - 3)}`
    const adds = (richer: unknown, sparser: unknown) => completes({ a: richer, b: 1 }, { a: sparser })
    expect(adds(zeros(400), 1.5)).toBe(true)
    expect(adds(zeros(401), 1.5)).toBe(false)
    expect(adds(1.5, zeros(401))).toBe(false)
    expect([adds(zeros(401), zeros(401)), adds(null, 1.5), adds({ x: 1 }, 1.5), adds([1], { x: 1 })]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect([adds(1, { x: 1 }), adds(null, { x: 1 }), adds('text', [1])]).toEqual([false, false, false])
    expect(adds('text', { x: null })).toBe(false)
  })

  test('When a body has no bottom, then nothing is completed', () => {
    const bottomless = (rest: string) => JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}${rest}}`)
    expect(completes(bottomless(',"b":1'), bottomless(''))).toBe(false)
  })

  test('When any JSON is compared with itself, in any case, then it completes nothing', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => !completes(value, value)))
    expect(completes(sale(), otherCase(sale()))).toBe(false)
  })

  test('When one completes another, then not the other way round', () => {
    const body = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }))
    fc.assert(fc.property(body, body, (one, other) => !(completes(one, other) && completes(other, one))))
    fc.assert(fc.property(body, (thin) => completes({ ...thin, more: 1 }, thin)))
  })
})
