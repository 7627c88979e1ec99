import {
  type Attempt,
  type Decimal,
  type KeySearch,
  type Money,
  mayStillLand,
  money,
  multiplyDecimals,
  type OrderStep,
  type OrdersCall,
  PermanentError,
  parseDecimal,
  roundMoney,
  toNumber,
} from 'tillbridge/adapter'
import type { Operation, VendureApi } from './api.ts'
import { HISTORY, type Operations } from './operations.ts'
import type { VendureOptions } from './options.ts'
import type { ShopOrder } from './orders/shop-order.ts'

type Amounts = ReturnType<typeof createAmounts>

export function createAmounts(decimals: number) {
  const up = parseDecimal(`1${'0'.repeat(decimals)}`)
  const down = parseDecimal(decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`)
  const decimal = (amount: number): Decimal => multiplyDecimals(parseDecimal(amount), down)
  return {
    /** Rounded to coins. Throws PermanentError where the shop has fewer decimals. */
    toShop(amount: Money): number {
      const units = toNumber(multiplyDecimals(roundMoney(amount).amount, up))
      if (Number.isInteger(units)) return units
      throw new PermanentError(`${amount.currency} has more decimals than moneyDecimals in config (${decimals})`, {
        code: 'money-decimals',
      })
    },
    fromShop: (amount: number, currency: string): Money => money(decimal(amount), currency),
    decimal,
  }
}

export interface Shop {
  api: VendureApi
  operations: Operations
  options: VendureOptions
  amounts: Amounts
  /** Names that are no payment method of the shop. */
  known: Set<string>
  search: KeySearch<ShopOrder>
}

export type ShopStep<Name extends OrdersCall['method']> = OrderStep<Shop, Name>

export type Step = Pick<Attempt, 'key' | 'signal' | 'mayStillLand'>

export function runOrder<T>(
  { api }: Pick<Shop, 'api'>,
  operation: Operation<T>,
  variables: object,
  { signal }: Pick<Step, 'signal'>,
): Promise<T> {
  return api.run(operation, { ...variables, history: HISTORY }, signal)
}

export function readOrder(shop: Shop, id: string, step: Pick<Step, 'signal'>): Promise<ShopOrder | null> {
  return runOrder(shop, shop.operations.order, { id }, step)
}

export async function transition(shop: Shop, { id }: ShopOrder, state: string, step: Step): Promise<ShopOrder> {
  return await runOrder(shop, shop.operations.transition, { id, state }, step)
}

export async function addNote(
  { api, operations }: Shop,
  { id }: Pick<ShopOrder, 'id'>,
  { note, isPublic }: { note: string; isPublic: boolean },
  { signal, mayStillLand: isInDoubt }: Pick<Step, 'signal' | 'mayStillLand'>,
): Promise<void> {
  if (isInDoubt) throw mayStillLand()
  await api.run(operations.addNote, { input: { id, note, isPublic } }, signal)
}
