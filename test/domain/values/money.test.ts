import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PermanentError } from '../../../src/domain/values/errors.ts'
import {
  addMoney,
  allocateMoney,
  amountText,
  compareDecimals,
  type Decimal,
  equalMoney,
  type Money,
  money,
  multiplyMoney,
  parseDecimal,
  roundMoney,
  subtractMoney,
  sumDecimals,
  sumMoney,
  toNumber,
} from '../../../src/domain/values/money.ts'

const nok = (amount: number | string): Money => money(amount, 'NOK')

/** Decimal text as a wire may have it, with up to four decimals and trailing zeros. */
const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 4 }))
  .map(([digits, decimals]) => withPoint(digits, decimals))
const anyMoney = decimalText.map(nok)

describe('when a decimal is read from the wire', () => {
  test.each([
    [1399.5, '1399.5'],
    [0.1, '0.1'],
    [1e-7, '0.0000001'],
    [-0, '0'],
    ['1399.50', '1399.5'],
    ['0.250', '0.25'],
    [' 1.00\n', '1'],
    ['+5', '5'],
    ['-0.00', '0'],
    ['007', '7'],
    ['123456789012345678901234567890.01', '123456789012345678901234567890.01'],
  ])('then %j is %s', (wire, expected) => {
    expect(parseDecimal(wire)).toBe(expected)
  })

  // A comma is a decimal sign in Oslo and a thousands sign in London: 1,399 is refused, not guessed.
  test.each([
    ['0,1'],
    ['1,399'],
    ['1,399.50'],
    ['1 399.50'],
    ['1\u00a0399'],
    ["1'399"],
    ['1.399.50'],
    ['1e3'],
    ['.5'],
    ['5.'],
    ['0x10'],
    ['12 kr'],
    [''],
    ['-'],
    [null],
    [undefined],
    [true],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [2 ** 53],
    [['1']],
    ['9'.repeat(31)],
  ])('then %j is refused', (wire) => {
    expect(() => parseDecimal(wire)).toThrow(expect.objectContaining({ name: 'PermanentError', code: 'not-a-decimal' }))
  })

  test('then the error shows the value and what was expected', () => {
    expect(() => parseDecimal('1,399.50')).toThrow(
      'not a decimal: "1,399.50" (expected a number, or text such as "1399.50")',
    )
  })

  test('then the text of a canonical decimal reads as itself, and trailing zeros make no difference', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const decimal = parseDecimal(text)
        expect(parseDecimal(decimal)).toBe(decimal)
        expect(parseDecimal(text.includes('.') ? `${text}00` : `${text}.00`)).toBe(decimal)
      }),
    )
  })

  test('then a JSON number reads as its shortest text, and goes back to the same number', () => {
    const safe = fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true })
    fc.assert(
      fc.property(safe, (number) => {
        const decimal = parseDecimal(number)
        expect(toNumber(decimal)).toBe(number === 0 ? 0 : number)
        expect(parseDecimal(decimal)).toBe(decimal)
      }),
    )
  })
})

test('when a decimal has more digits than a JSON number holds, then toNumber refuses it', () => {
  expect(() => toNumber(parseDecimal('0.12345678901234567890'))).toThrow(expect.objectContaining({ code: 'not-exact' }))
  expect(() => toNumber(parseDecimal('9007199254740993'))).toThrow(PermanentError)
})

test('when quantities are summed and compared, then exactly', () => {
  expect(sumDecimals(['0.1', '0.2', '-1'].map(parseDecimal))).toBe('-0.7')
  expect(sumDecimals([])).toBe('0')
  expect(['10', '9', '-1', '0.5'].map(parseDecimal).sort(compareDecimals)).toEqual(['-1', '0.5', '9', '10'])
})

test('when any decimals are summed, in any order, then the sum is that of the integers, to the last digit', () => {
  const digits = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
  const wire = fc.tuple(digits, fc.integer({ min: 0, max: 6 }))
  fc.assert(
    fc.property(fc.array(wire, { maxLength: 200 }), (numbers) => {
      const decimals = numbers.map(([each, places]) => parseDecimal(withPoint(each, places)))
      const millionths = numbers.reduce((sum, [each, places]) => sum + each * 10n ** BigInt(6 - places), 0n)
      expect(sumDecimals(decimals)).toBe(parseDecimal(withPoint(millionths, 6)))
      expect(sumDecimals(decimals.toReversed())).toBe(sumDecimals(decimals))
    }),
  )
})

describe('when money is made', () => {
  test('then the currency is three letters in any case', () => {
    expect(money('1399.50', ' nok ')).toEqual({ amount: '1399.5', currency: 'NOK' })
  })

  test.each([['kroner'], ['€'], [''], [null], [578]])('then the currency %j is refused', (currency) => {
    expect(() => money(1, currency)).toThrow(expect.objectContaining({ code: 'not-a-currency' }))
  })

  test('then 1.0 NOK equals 1.00 NOK, and not 1 SEK', () => {
    expect(equalMoney(nok('1.0'), nok('1.00'))).toBe(true)
    expect(equalMoney(nok('1.0'), nok('1.001'))).toBe(false)
    expect(equalMoney(nok(1), money(1, 'SEK'))).toBe(false)
  })
})

describe('when amounts are added', () => {
  test('then 0.1 + 0.2 is 0.3', () => {
    expect(addMoney(nok(0.1), nok(0.2))).toEqual(nok('0.3'))
  })

  test('then the official sale adds up: 199.99 × 2 + 499.99 = 899.97', () => {
    const shirts = multiplyMoney(nok(199.99), parseDecimal(2))
    expect(sumMoney([shirts, nok(499.99)], 'NOK')).toEqual(nok(899.97))
  })

  test('then nothing sums to zero of the currency asked for', () => {
    expect(sumMoney([], 'SEK')).toEqual(money(0, 'SEK'))
  })

  test('then currencies are never mixed', () => {
    const mixed = expect.objectContaining({
      name: 'PermanentError',
      code: 'mixed-currencies',
      message: 'cannot add 5 SEK to NOK: currencies differ',
    })
    expect(() => sumMoney([nok(1), money(5, 'SEK')], 'NOK')).toThrow(mixed)
    expect(() => addMoney(nok(1), money(5, 'SEK'))).toThrow(mixed)
    expect(() => subtractMoney(nok(1), money(5, 'SEK'))).toThrow(mixed)
  })

  test('then adding and subtracting the same gives the same again', () => {
    fc.assert(
      fc.property(anyMoney, anyMoney, (a, b) => {
        expect(subtractMoney(addMoney(a, b), b)).toEqual(a)
        expect(addMoney(a, b)).toEqual(addMoney(b, a))
      }),
    )
  })

  test('then thousands of odd cents do not drift: the sum is that of the integers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -99_999, max: 99_999 }), { maxLength: 2_000 }), (cents) => {
        const whole = cents.reduce((sum, cent) => sum + cent, 0)
        const sum = sumMoney(
          cents.map((cent) => nok(withPoint(BigInt(cent), 2))),
          'NOK',
        )
        expect(sum).toEqual(nok(withPoint(BigInt(whole), 2)))
      }),
      { numRuns: 20 },
    )
  })

  test('then price times quantity is that of the integers', () => {
    const digits = fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
    fc.assert(
      fc.property(digits, digits, (price, quantity) => {
        const product = multiplyMoney(nok(withPoint(price, 2)), parseDecimal(withPoint(quantity, 3)))
        expect(product).toEqual(nok(withPoint(price * quantity, 5)))
      }),
    )
  })
})

describe('when money is rounded', () => {
  test.each([
    ['2.345', 'NOK', '2.35'],
    ['2.344999', 'NOK', '2.34'],
    ['-2.345', 'NOK', '-2.35'],
    ['1.005', 'NOK', '1.01'],
    ['-0.004', 'NOK', '0'],
    ['0.5', 'JPY', '1'],
    ['-0.5', 'ISK', '-1'],
    ['1.2345', 'KWD', '1.235'],
    ['12.345', 'HUF', '12.35'],
    ['12.345', 'ZZZ', '12.35'],
  ])('then %s %s becomes %s', (amount, currency, expected) => {
    expect(roundMoney(money(amount, currency))).toEqual(money(expected, currency))
  })

  test.each([
    [1399.5, 'NOK', '1399.50'],
    [-7, 'NOK', '-7.00'],
    ['0.005', 'NOK', '0.005'],
    [1399, 'JPY', '1399'],
    [1, 'KWD', '1.000'],
  ])('then the text of %s %s has the decimals of its coins and drops none: %s', (amount, currency, expected) => {
    expect(amountText(money(amount, currency))).toBe(expected)
  })
})

describe('when a whole is split', () => {
  const amounts = (whole: Money, weights: (number | string)[]) =>
    allocateMoney(whole, weights.map(parseDecimal)).map((share) => share.amount)

  test.each([
    [nok(100), [1, 1, 1], ['33.33', '33.33', '33.34']],
    [nok('899.97'), ['399.98', '499.99'], ['399.98', '499.99']],
    [nok(-100), [1, 1, 1], ['-33.33', '-33.33', '-33.34']],
    [money(100, 'JPY'), [1, 1, 1], ['33', '33', '34']],
    [nok('0.03'), [1, 1, 1, 1, 1], ['0', '0', '0', '0', '0.03']],
    [nok('10.005'), [1, 1], ['5', '5.005']],
    [nok(100), [2, -1], ['200', '-100']],
    [nok(5), [1], ['5']],
    [nok(0), [], []],
    [nok(0), [0, 0], ['0', '0']],
    [nok(0), [1, -1], ['0', '0']],
  ])('then %j by %j is %j', (whole, weights, expected) => {
    expect(amounts(whole, weights)).toEqual(expected)
  })

  test('then a line without weight gets nothing, not even the remainder', () => {
    expect(amounts(nok(1), [1, 1, 1, 0])).toEqual(['0.33', '0.33', '0.34', '0'])
  })

  test.each([[[]], [[0, 0]], [[1, -1]]])('then weights that add up to nothing (%j) are refused', (weights) => {
    expect(() => amounts(nok(1), weights)).toThrow(expect.objectContaining({ code: 'not-allocatable' }))
  })

  test('then the shares add up to the whole, none changes sign, and each but the last is short by less than a coin', () => {
    const weight = fc.bigInt({ min: 0n, max: 10n ** 9n }).map((digits) => parseDecimal(withPoint(digits, 2)))
    const weights = fc
      .array(weight, { minLength: 1, maxLength: 30 })
      .filter((list) => list.some((each) => each !== '0'))
    const cents = fc.bigInt({ min: -(10n ** 10n), max: 10n ** 10n })
    fc.assert(
      fc.property(cents, weights, (whole, list) => {
        const shares = allocateMoney(nok(withPoint(whole, 2)), list)
        expect(sumMoney(shares, 'NOK')).toEqual(nok(withPoint(whole, 2)))

        const total = list.reduce((sum, each) => sum + centsOf(each), 0n)
        const last = list.findLastIndex((each) => each !== '0')
        for (const [index, share] of shares.entries()) {
          const given = centsOf(share.amount)
          expect(given * whole >= 0n).toBe(true)
          if (index !== last) expect(given).toBe((whole * centsOf(list[index] ?? parseDecimal(0))) / total)
        }
      }),
    )
  })
})

/** 12345n with 2 decimals is "123.45", by text alone, so that the tests do no arithmetic of the kind they check. */
function withPoint(digits: bigint, decimals: number): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0')
  return decimals === 0 ? sign + text : `${sign}${text.slice(0, -decimals)}.${text.slice(-decimals)}`
}

function centsOf(decimal: Decimal): bigint {
  const [whole = '', cents = ''] = decimal.split('.')
  return BigInt(whole + cents.padEnd(2, '0'))
}
