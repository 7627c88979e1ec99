import type { SubmittedCorrection, SubmittedTransfer } from '../domain/catalogue/submitted.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'
import { MAKE_PRODUCTS } from './master-data.ts'

/* Goods that an own system moves: they are differences, which count again each time that they are sent. Nobody says that the
   platform carries one out once, and it cannot be asked, so an uncertain one waits for a person (public facts). */

const moved = {
  follows: MAKE_PRODUCTS,
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
} as const

/** From one stock to another. */
const transferGoods: Flow = {
  ...moved,
  name: 'transfer-goods',
  kinds: ['TransferSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'transferGoods', argument: payloadOf(event) as SubmittedTransfer }),
}

/** More, or fewer, in one stock. */
const correctStock: Flow = {
  ...moved,
  name: 'correct-stock',
  kinds: ['CorrectionSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'correctStock', argument: payloadOf(event) as SubmittedCorrection }),
}

/** Goods that own systems move: every flow of this file. */
export const goodsMoves: readonly Flow[] = [transferGoods, correctStock]
