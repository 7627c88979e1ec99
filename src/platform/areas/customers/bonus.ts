import type { Client } from '../../http/client.ts'
import { given, sentId, unsendable } from '../../http/written.ts'

/** Bonus points of customers. Not in the spec. */
export interface Bonus {
  /** POST /api/Bonus: adds points (below zero: takes them). Sent twice it counts twice: an uncertain one must not be sent again. */
  book(points: NewPoints, signal?: AbortSignal): Promise<void>
}

interface NewPoints {
  customerId: string
  /** A whole number that is not 0. */
  amount: number
  comment?: string | undefined
  /** The platform's id of the sale that they are for. */
  saleId?: string | undefined
}

export function createBonus(client: Client): Bonus {
  return {
    async book({ customerId, amount, comment, saleId }, signal) {
      if (!Number.isSafeInteger(amount) || amount === 0)
        throw unsendable('bonus.book: the amount', 'must be a whole number of points, and not 0.')
      const body = {
        customerId: sentId(customerId, 'bonus.book: the customerId'),
        amount,
        ...given({ comment, saleId: saleId === undefined ? undefined : sentId(saleId, 'bonus.book: the saleId') }),
      }
      await client.write('bonus.book', { body, secrets: [customerId], signal })
    },
  }
}
