import type { FoundOrder } from '../../domain/orders/found-order.ts'
import { isAlike } from './order-match.ts'

interface Answer {
  found: readonly FoundOrder[]
}

/**
 * A web order and one of a till may have the number that was asked for, and a till is answered one order. So where there is
 * another, the till's goes by the id that tells it apart, and each says what the other is asked by. What was found besides has another
 * number, and is told from none of them.
 */
export function toldApart(answers: readonly Answer[], number: string): Answer[] {
  const isAsked = (order: FoundOrder) => isAlike(order.number, number)
  const found = answers.flatMap((answer) => answer.found).filter(isAsked)
  const web = found.filter(({ tillId }) => tillId === undefined)
  const tillIds = found.flatMap(({ tillId }) => tillId ?? [])
  const [first] = web
  if (!first || tillIds.length === 0) return [...answers]
  return answers.map((answer) => ({
    found: answer.found.map((order) => {
      if (!isAsked(order)) return order
      return order.tillId === undefined
        ? { ...order, others: tillIds }
        : { ...order, number: order.tillId, others: [first.number] }
    }),
  }))
}
