import { PermanentError } from '../../domain/values/errors.ts'
import {
  type Decimal,
  type Money,
  money,
  multiplyDecimals,
  parseDecimal,
  roundMoney,
  toNumber,
} from '../../domain/values/money.ts'

/** Vendure's amounts are whole numbers of its smallest unit. */
export interface Amounts {
  /** Rounded to the currency's coins. Throws PermanentError where the shop's amounts have fewer decimals. */
  toShop(amount: Money): number
  fromShop(amount: number, currency: string): Money
  decimal(amount: number): Decimal
}

/** @param decimals how many decimals the shop's amounts have */
export function createAmounts(decimals: number): Amounts {
  const up = parseDecimal(`1${'0'.repeat(decimals)}`)
  const down = parseDecimal(decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`)
  const decimal = (amount: number) => multiplyDecimals(parseDecimal(amount), down)
  return {
    toShop(amount) {
      const units = toNumber(multiplyDecimals(roundMoney(amount).amount, up))
      if (Number.isInteger(units)) return units
      throw new PermanentError(`${amount.currency} has more decimals than moneyDecimals in config (${decimals})`, {
        code: 'money-decimals',
      })
    },
    fromShop: (amount, currency) => money(decimal(amount), currency),
    decimal,
  }
}
