import { z } from 'zod'
import { PermanentError } from '../../domain/values/errors.ts'
import { parseDecimal, toNumber } from '../../domain/values/money.ts'
import { InexactNumber } from './body/typed-json.ts'

const DECIMAL_TEXT = /^\s*[+-]?\d{1,30}(\.\d{1,30})?\s*$/
const DECIMAL = 'a decimal: a number, or text such as "1399.50"'

/** An exact decimal: a number as typed, or text. Text with more digits than the platform's JSON can hold is refused too. */
export const Decimal = z
  .union([z.number(), z.string().regex(DECIMAL_TEXT, { error: DECIMAL })], {
    error: ({ input }) =>
      input instanceof InexactNumber ? 'fewer digits: a JSON number cannot hold all of these exactly' : DECIMAL,
  })
  .transform((wire, context) => {
    try {
      const decimal = parseDecimal(wire)
      toNumber(decimal)
      return decimal
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error
      const message = error.code === 'not-exact' ? 'fewer digits: the platform takes a JSON number' : DECIMAL
      context.issues.push({ code: 'custom', message, input: wire })
      return z.NEVER
    }
  })

/** A share of 1, or percent: the platform takes 0.25 and 25 for the same. */
export const VatRate = Decimal.refine((decimal) => !decimal.startsWith('-') && Number(decimal) <= 100, {
  error: 'a rate of VAT: 0.25 or 25, both are 25 percent',
})

/** A price: 0 or more. */
export const Price = Decimal.refine((decimal) => !decimal.startsWith('-'), { error: 'a price of 0 or more' })
