import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { learn } from '../../../src/domain/drift/learn.ts'
import { driftKey, type LearnedShape, newShape, type PayloadDrift } from '../../../src/domain/drift/learned.ts'
import { driftText } from '../../../src/domain/health/payload-health.ts'
import { isBreaking } from '../../../src/payloads/drift/breaking.ts'
import { observe } from '../../../src/payloads/drift/observe.ts'

/* How the payloads of a kind look is learned, and what was never so before is told, without anything of people. */

const HOUR = 3_600_000
const KIND = 'SaleCreated'

interface Life {
  shape: LearnedShape
  drifts: PayloadDrift[]
}

const unborn = (): Life => ({ shape: newShape(KIND), drifts: [] })

/** One payload an hour after the one before. */
function lived(payloads: readonly unknown[], before = unborn()): Life {
  return payloads.reduce<Life>(({ shape, drifts }, payload) => {
    const maps = new Set(shape.fields.flatMap(({ path, isMap }) => (isMap ? [path] : [])))
    const event = shape.upTo + 1
    const observed = observe(payload, (path) => maps.has(path))
    const learned = learn(shape, observed, { event, at: event * HOUR, now: event * HOUR })
    return { shape: learned.shape, drifts: [...drifts, ...learned.drifts] }
  }, before)
}

const often = <T>(times: number, make: (no: number) => T): T[] => Array.from({ length: times }, (_, no) => make(no))

const sale = (no: number) => ({
  total: '100.00',
  customer: { firstName: 'Kari', email: `kari${no}@example.com` },
  comment: null,
  payments: [{ type: no % 3 === 0 ? 'Cash' : 'Card', amount: 100 }],
  tags: ['a'],
  options: {},
})

/** Four days of sales. */
const learned = lived(often(100, sale))
const newIn = (payload: unknown, from = learned) => lived([payload], { ...from, drifts: [] }).drifts
const told = (payload: unknown, from = learned) => newIn(payload, from).map(driftText)

describe('what is new in a payload of a kind that is known', () => {
  const usual = sale(1)
  test.each([
    ['looks as ever', usual, []],
    ['lacks a field', { total: '1.00' }, []],
    [
      'has a new field',
      { ...usual, channelCode: 'x'.repeat(12) },
      ['channelCode was never there before: a text of 12 characters'],
    ],
    [
      'has a new object: it is one thing, whatever is in it',
      { ...usual, loyalty: { level: 3, card: { no: '1' } } },
      ['loyalty was never there before: an object'],
    ],
    [
      'has a new field in its rows',
      {
        ...usual,
        payments: [
          { type: 'Card', amount: 100 },
          { type: 'Card', amount: 1, tip: 2.5 },
        ],
      },
      ['payments.tip was never there before: a number with decimals'],
    ],
    ['has null where none ever was', { ...usual, total: null }, ['total is null, which it never was (until now text)']],
    [
      'has another type',
      { ...usual, total: 100.5 },
      ['total is of another type: a number with decimals (until now text)'],
    ],
    [
      'has one row instead of a list',
      { ...usual, payments: { type: 'Card', amount: 1 } },
      ['payments is of another type: an object (until now list)'],
    ],
    [
      'has a new word where there were two',
      { ...usual, payments: [{ type: 'Swish', amount: 1 }] },
      ['payments.type has a word that it never had: Swish (until now Cash, Card)'],
    ],
    ['has the first value where null always was', { ...usual, comment: 'Ring the bell, Kari' }, []],
    ['has the first key in an object that was always empty', { ...usual, options: { gift: true } }, []],
    [
      'is something else altogether',
      [],
      ['the payload itself is of another type: a list of 0 rows (until now object)'],
    ],
  ])('When it %s, then that is told, or nothing', (_, payload, texts) => {
    expect(told(payload)).toEqual(texts)
  })

  test('When it has been told, then it is told no more', () => {
    const odd = { ...usual, total: null, extra: 1, payments: [{ type: 'Swish', amount: 1 }] }
    expect(lived([odd, odd, odd], { ...learned, drifts: [] }).drifts).toHaveLength(3)
  })

  test('When two hubs find the same, then it has one name; another word of the same field has another', () => {
    const [one, two] = [
      newIn({ ...usual, payments: [{ type: 'Swish' }] }),
      newIn({ ...usual, payments: [{ type: 'Vipps' }] }),
    ]
    const names = [...one, ...one, ...two].map(driftKey)
    expect(new Set(names).size).toBe(2)
  })
})

describe('learning', () => {
  test.each([
    ['99 payloads in four days', often(99, sale)],
    ['a kind that begins', []],
  ])('When %s are known, then nothing is told yet', (_, payloads) => {
    expect(told({ ...sale(1), extra: 1, total: null }, lived(payloads))).toEqual([])
  })

  test('When a thousand came in one day, then nothing is told yet: a day is no week', () => {
    const shape = often(1_000, sale).reduce(
      (known, payload, no) =>
        learn(
          known,
          observe(payload, () => false),
          { event: no + 1, at: no * 60_000, now: no },
        ).shape,
      newShape(KIND),
    )
    const odd = observe({ ...sale(1), extra: 1 }, () => false)
    expect(learn(shape, odd, { event: 1_001, at: 1_001 * 60_000, now: 0 }).drifts).toEqual([])
    expect(learn(shape, odd, { event: 1_001, at: 72 * HOUR, now: 0 }).drifts).toHaveLength(1)
  })

  test('When a field has ever new words, then none is a surprise', () => {
    const many = lived(often(200, (no) => ({ type: `Word${String.fromCharCode(65 + (no % 26))}` })))
    expect(many.drifts).toEqual([])
    expect(told({ type: 'Other' }, many)).toEqual([])
  })

  test('When an object has ever new keys, then it is a map: it stays small, and a new key is no surprise', () => {
    const name = (no: number) => no.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? 'q')
    const map = lived(
      often(2_000, (no) => ({ a: 1, by: { [`k${name(no)}`]: { n: 1 }, [`${no}`]: 2, [`x@${no}.no`]: 3 } })),
    )
    expect(map.drifts).toEqual([])
    expect(map.shape.fields.map(({ path }) => path).sort()).toEqual(['', 'a', 'by', 'by.*', 'by.*.n'])
    expect(told({ a: 1, by: { another: 1 } }, map)).toEqual([])
    expect(told({ a: 1, by: {}, c: 1 }, map)).toHaveLength(1)
  })

  test('When an object of a learned kind becomes a map, then it is told a few times, and never again', () => {
    const keys = often(200, (no) => ({
      a: 1,
      by: { [`k${'abcdefghij'[no % 10]}${'klmnopqrst'[Math.floor(no / 10) % 10]}${'uv'[Math.floor(no / 100)]}`]: 1 },
    }))
    const from = lived(often(150, () => ({ a: 1, by: { one: 1, two: 2 } })))
    const drifts = lived(keys, { ...from, drifts: [] }).drifts
    expect(drifts.length).toBeGreaterThan(0)
    expect(drifts.length).toBeLessThanOrEqual(30)
  })
})

describe('bounds', () => {
  test('When a payload has a megabyte, then it is looked at within its bounds, in little time', () => {
    const wide = Object.fromEntries(often(20_000, (no) => [`f${no.toString(36)}`, { a: no, b: 'x'.repeat(20) }]))
    const rows = { rows: often(20_000, (no) => ({ no, text: 'x'.repeat(30) })) }
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
    const nested = JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`)
    for (const payload of [wide, rows, deep, nested]) {
      const began = performance.now()
      const { shape } = lived([payload, payload, payload])
      expect(performance.now() - began).toBeLessThan(1_000)
      expect(shape.fields.length).toBeLessThanOrEqual(400)
      expect(JSON.stringify(shape).length).toBeLessThan(100_000)
    }
  })

  test('When lists stand in lists, ten times ten times ten, then so many values are looked at, and no more', () => {
    let looks = 0
    const leaf = new Proxy({ a: 1 }, { get: (_, key) => (typeof key === 'string' ? ++looks : undefined) })
    const nested = Array.from({ length: 7 }).reduce<unknown>((inner) => ({ in: Array(10).fill(inner) }), leaf)
    observe(nested, () => false)
    expect(looks).toBeGreaterThan(100)
    expect(looks).toBeLessThanOrEqual(5_000)
  })

  test('When keys are numbered, as those of articles or members are, then they are data, and stand nowhere', () => {
    const { shape } = lived([{ stock: { SKU10234: 1, sku_10235: 2, ab: 3 }, '4711': 1, line2: 1 }])
    expect(shape.fields.map(({ path }) => path)).toEqual(['', '*', 'stock', 'stock.*', 'stock.ab', 'line2'])
  })

  test('When anything at all comes, then it is bounded, of keys that are names, and shows nothing that was in it', () => {
    const secret = 'Kari Nordmann 12345678'
    const anything = fc.anything({
      key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'type', 'status', 'a.b', secret)),
      values: [fc.string(), fc.integer(), fc.constant(secret), fc.constant(null)],
    })
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 5 }), (payloads) => {
        const asJson = payloads.map((one) => JSON.parse(JSON.stringify(one) ?? 'null'))
        const { shape, drifts } = lived(asJson, { shape: learned.shape, drifts: [] })
        expect(shape.fields.length).toBeLessThanOrEqual(400)
        for (const { path } of shape.fields)
          expect(path).toMatch(/^([\w$*-]+(\[\])*(\.|$))*(\[\])*(\.[\w$*-]+(\[\])*)*$/)
        expect(JSON.stringify([shape, drifts])).not.toContain('Nordmann')
      }),
      { numRuns: 200 },
    )
  })

  test('When values are about people, then neither what is learned nor what is told has any of them', () => {
    const person = {
      total: 'Kari Nordmann',
      customer: {
        firstName: 'Kari',
        email: 'kari@example.com',
        phone: 4791234567,
        birthday: '1980-02-03',
        note: 'calls late',
      },
      customerType: 'Kari Nordmann',
      payments: [{ type: 'kari@example.com', amount: '4711-0815' }],
      'kari@example.com': 1,
      '4791234567': 1,
    }
    const { shape, drifts } = lived([person], { ...learned, drifts: [] })
    expect(drifts.length).toBeGreaterThan(3)
    const all = JSON.stringify([shape, drifts.map(driftText)])
    for (const one of ['Kari', 'Nordmann', 'example.com', '479123', '1980', 'calls', '0815'])
      expect(all).not.toContain(one)
  })
})

describe('whether it breaks something', () => {
  const drift = (path: string, what: PayloadDrift['what'], type: PayloadDrift['type']): PayloadDrift => ({
    ...{ kind: 'POSSettlementCreated', path, what, type, was: 'text', sample: '' },
    ...{ event: 1, at: 0, foundAt: 0 },
  })
  test.each([
    ['a field without which nothing is made of it is null', drift('settlementId', 'null', 'null'), true],
    ['a field that nobody reads is null', drift('whoKnows', 'null', 'null'), false],
    ['a number comes as an object', drift('settlementId', 'type', 'object'), true],
    ['a number comes as text, which is read as well', drift('settlementId', 'type', 'text'), false],
    ['a field is new', drift('settlementId', 'field', 'text'), false],
    ['a kind is none of the table', { ...drift('settlementId', 'null', 'null'), kind: 'toString' }, false],
  ])('When %s, then that is said', (_, one, breaks) => {
    expect(isBreaking(one, {})).toBe(breaks)
  })

  test('When config says where a field stands, then that place counts', () => {
    const mappings = { POSSettlementCreated: { settlementId: 'head.no' } }
    expect(isBreaking(drift('head.no', 'null', 'null'), mappings)).toBe(true)
    expect(isBreaking(drift('settlementId', 'null', 'null'), mappings)).toBe(false)
  })
})
