import type { Money } from '../../values/money.ts'

/**
 * The answer of a destination about one thing that it has acknowledged. `there`: so many times; `amount` null: it does not say. `lacking`:
 * it was asked, and has none. `unknown`: nobody can tell by it, and nothing is claimed.
 */
export type Tallied =
  | { is: 'there'; count: number; amount: Money | null }
  | { is: 'lacking'; why?: string }
  | { is: 'unknown'; why: string }
