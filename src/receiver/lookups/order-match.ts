import type { FoundOrder } from '../../domain/orders/found-order.ts'

/**
 * The order that the till means: that of exactly this number, else the only number that differs in nothing but case or
 * signs. An order of another number is somebody else's, with a name, an address and money to give back: null.
 */
export function bestOrder(answers: readonly { found: readonly FoundOrder[] }[], number: string): FoundOrder | null {
  const orders = answers.flatMap(({ found }) => found)
  const exact = orders.find((order) => order.number === number)
  if (exact) return exact
  const alike = orders.filter((order) => isAlike(order.number, number))
  const [first] = alike
  return first && alike.every((order) => plain(order.number) === plain(first.number)) ? first : null
}

/** Whether two numbers differ in nothing but case or signs. */
export function isAlike(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

function bare(number: string): string {
  return number.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Without what stands around it, as in `#A-1001`. */
function plain(number: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(number.toLowerCase())?.[0] ?? ''
}
