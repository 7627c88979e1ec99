import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseExact, parseWithIds } from '../../src/lib/json.ts'

test.each([
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
])(
  'When the JSON of another system is %s, then whole numbers beyond 2^53 are text, and others are as ever',
  (text, value) => {
    expect(parseWithIds(text)).toEqual(value)
  },
)

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
