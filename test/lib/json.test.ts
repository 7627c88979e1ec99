import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beyondLimits, type JsonLimits, openValue, parseExact, parseWithIds, valueEnd } from '../../src/lib/json.ts'

for (const [text, value] of [
  ['9007199254740991', 9007199254740991],
  ['-9007199254740991', -9007199254740991],
  ['9007199254740992', '9007199254740992'],
  ['9007199254740993', '9007199254740993'],
  [' -9007199254740993 ', '-9007199254740993'],
  ['{"id":\n1234567890123456789}', { id: '1234567890123456789' }],
  ['[1 ,1234567890123456789]', [1, '1234567890123456789']],
  [`[${'9'.repeat(400)}]`, ['9'.repeat(400)]],
  [
    '[1234567890123456789,249.00,19.899999999999999,1e3,"1234567890123456789"]',
    ['1234567890123456789', 249, 19.9, 1000, '1234567890123456789'],
  ],
] as const)
  test(`When the JSON of another system is ${text}, then whole numbers beyond 2^53 are text, and others are as ever`, () => {
    expect(parseWithIds(text)).toEqual(value)
  })

test.each([
  ['[1.50,15e-1,1e-7,100.0000000000000000]', [1.5, 1.5, 1e-7, 100]],
  [
    '[0.12345678901234567890,9.007199254740993e15,1e400]',
    [{ typed: '0.12345678901234567890' }, { typed: '9.007199254740993e15' }, { typed: '1e400' }],
  ],
])('When numbers are %s, then only those that would change are kept as they were typed', (text, value) => {
  expect(parseExact(text, (typed) => ({ typed }))).toEqual(value)
})

test('When any JSON is read, then it is what JSON.parse makes of it where no whole number is too large', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, null, space)
      const isSafe = !/\d{16}/.test(text)
      if (isSafe) expect(parseWithIds(text)).toEqual(JSON.parse(text))
      expect(parseExact(text, () => expect.fail('a number that JavaScript wrote is exact'))).toEqual(JSON.parse(text))
    }),
  )
})

test('When any whole number stands anywhere, then none of its digits is lost', () => {
  const around = fc.constantFrom(['', ''], ['[', ']'], ['[0, ', ' ]'], ['{"a":[],"b" :\t', '}'])
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), around, (whole, [before, after]) => {
      const read = [parseWithIds(`${before}${whole}${after}`)].flat(9).at(-1)
      const value = typeof read === 'object' && read !== null ? (read as { b: unknown }).b : read
      expect(String(value)).toBe(String(whole))
    }),
    { numRuns: 1_000 },
  )
})

const LIMITS: JsonLimits = { depth: 10, keys: 3_000, items: 4_000, values: 20_000 }

/** Text of 16 KB and more is looked at. */
const PADDING = 'x'.repeat(16_384)

function ask(value: unknown): string | null {
  return beyondLimits(Buffer.from(JSON.stringify(['[{,"\\', PADDING, value])), LIMITS)
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { inner: value }
  return value
}

function keys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}, "quoted"`, n]))
}

describe('limits of JSON', () => {
  test.each([
    ['nested as deep as it may be', nested(9), null],
    ['nested deeper', nested(10), 'it is nested deeper than 10 levels'],
    ['an object with as many fields as it may have', keys(3_000), null],
    ['an object with one more', keys(3_001), 'an object in it has more than 3000 fields'],
    ['a list with as many items as it may have', Array(4_000).fill(1), null],
    ['a list with one more', Array(4_001).fill(1), 'a list in it has more than 4000 items'],
    ['lists that have too many together', Array(6).fill(Array(4_000).fill(1)), 'it has more than 20000 values'],
    ['text that looks like too much of everything', '[{":,\\'.repeat(100_000), null],
  ])('when there is %s, then that is told', (_, value, reported) => {
    expect(ask(value)).toBe(reported)
  })

  test('when a body is small, then it is not looked at', () => {
    expect(beyondLimits(Buffer.from('['.repeat(10_000)), LIMITS)).toBeNull()
  })

  test('when any JSON is within the limits by the parsed value, then it is by its text, and the other way round', () => {
    const small = { depth: 4, keys: 3, items: 3, values: 30 }
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        // Space before the value changes nothing, and makes it large enough to be looked at.
        const reported = beyondLimits(Buffer.from(`${' '.repeat(16_384)}${text}`), small)
        expect(reported === null).toBe(isWithin(JSON.parse(text), small))
      }),
    )
  })
})

/** The same, the plain way. Values are counted as the text has them: a member each. */
function isWithin(value: unknown, limits: JsonLimits, depth = 0, count = { values: 0 }): boolean {
  count.values += 1
  if (typeof value !== 'object' || value === null) return count.values <= limits.values
  const members = Object.values(value)
  if (depth + 1 > limits.depth || members.length > (Array.isArray(value) ? limits.items : limits.keys)) return false
  return members.every((one) => isWithin(one, limits, depth + 1, count)) && count.values <= limits.values
}

/** Where the value ends that a text begins with, of which so many bytes come at a time; -1: all of it has come, and it has no end. */
function endInPieces(text: string, sizes: readonly number[]): number {
  const bytes = Buffer.from(text)
  const open = openValue()
  let begin = 0
  for (let nth = 0; begin < bytes.length; nth += 1) {
    const piece = bytes.subarray(begin, begin + (sizes[nth % sizes.length] ?? bytes.length))
    const end = valueEnd(piece, 0, open)
    if (end !== -1) return begin + end
    begin += piece.length
  }
  return -1
}

const Sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 })

test('When a value stands before something else, then it ends where JSON says, in pieces of any size', () => {
  const followed = fc.constantFrom(',', ']', '}', '\n', ' ', '\t1', ',"', '\r\n{')
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), followed, Sizes, (value, space, after, sizes) => {
      const text = JSON.stringify(value, null, space)
      const end = Buffer.byteLength(text)
      expect(valueEnd(Buffer.from(text + after), 0)).toBe(end)
      expect(valueEnd(Buffer.from(`${after}${text}${after}`), after.length)).toBe(after.length + end)
      expect(endInPieces(text + after, sizes)).toBe(end)
    }),
    { numRuns: 500 },
  )
})

test('When a value is cut off, then it has no end; a word or a number may go on', () => {
  const whole = '{"a":["\\"}]",{"b":"é😀\\\\"}]}'
  const bytes = Buffer.from(whole)
  for (let cut = 0; cut < bytes.length; cut += 1) {
    const open = openValue()
    expect(valueEnd(bytes.subarray(0, cut), 0, open)).toBe(-1)
    expect(valueEnd(bytes.subarray(cut), 0, open)).toBe(bytes.length - cut)
  }
  const open = openValue()
  expect([valueEnd(Buffer.from('tr'), 0, open), open.bare]).toEqual([-1, true])
  expect(valueEnd(Buffer.from('ue]'), 0, open)).toBe(2)
})
