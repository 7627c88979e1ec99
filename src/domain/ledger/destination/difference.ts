import { amountText, equalMoney, type Money } from '../../values/money.ts'
import type { Cause } from '../causes.ts'
import type { Tallied } from './tallied.ts'

/** What a destination has differs from what it was given. `there`: what it has, for people. */
export interface Difference {
  cause: Extract<Cause, 'not-there' | 'there-twice' | 'other-amount'>
  there: string
}

/**
 * The difference between what a destination was given and what it has; null: there is none, or nobody can tell. `given` null: it has no
 * amount, or that is not known any more. Pure.
 */
export function differenceOf(given: Money | null, tallied: Tallied): Difference | null {
  if (tallied.is === 'unknown') return null
  if (tallied.is === 'lacking' || tallied.count === 0)
    return { cause: 'not-there', there: (tallied.is === 'lacking' && tallied.why) || 'nothing' }
  if (tallied.count > 1) return { cause: 'there-twice', there: `${tallied.count} times` }
  const { amount } = tallied
  if (given === null || amount === null || equalMoney(given, amount)) return null
  return { cause: 'other-amount', there: shown(amount) }
}

/** An amount for people: `498.00 NOK`. */
export function shown(amount: Money): string {
  return `${amountText(amount)} ${amount.currency}`
}
