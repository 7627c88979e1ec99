import { Refusal } from '../refusal.ts'
import { toAmount } from './amounts.ts'

/** How one part of a sale was paid; below zero, the customer got it. Hundredths. */
export interface Payment {
  /** `Card`, `Cash`, `Giftcard` or `Invoice`; of an imported sale, the number of its payment type. */
  type: string
  subType: string | null
  cents: number
  /** The bank's reference, for what went over its terminal. */
  txRef: string
}

/** How people pay at the POS. */
export type Way = 'card' | 'cash' | 'split' | 'invoice'

/** The payments of a total; their sum is the total, to the cent. */
export function payments(way: Way, total: number, txRef: string): Payment[] {
  switch (way) {
    case 'card':
      return [byCard(total, txRef)]
    case 'cash':
      return inCash(total)
    case 'split': {
      // Whole coins lie on the counter; what is left is paid by card.
      const coins = Math.trunc(total / 200) * 100
      return coins === 0 ? [byCard(total, txRef)] : [...inCash(coins), byCard(total - coins, txRef)]
    }
    case 'invoice':
      return [{ type: 'Invoice', subType: null, cents: total, txRef: '' }]
  }
}

/** Pays with a gift card as far as it goes, and the rest by card. */
export function byGiftCard(total: number, balance: number, txRef: string): Payment[] {
  if (total <= 0) throw new Refusal(400, `A total of ${toAmount(total)} cannot be paid with a gift card.`)
  const used = Math.min(total, balance)
  const paid: Payment = { type: 'Giftcard', subType: 'Giftcard in', cents: used, txRef: '' }
  return used === total ? [paid] : [paid, byCard(total - used, txRef)]
}

/** A gift card leaves the POS, and what it is worth was paid: nothing was sold. */
export function forGiftCard(way: 'card' | 'cash', worth: number, txRef: string): Payment[] {
  return [...payments(way, worth, txRef), { type: 'Giftcard', subType: 'Giftcard out', cents: -worth, txRef: '' }]
}

function byCard(cents: number, txRef: string): Payment {
  return { type: 'Card', subType: 'Visa', cents, txRef }
}

/** There are no coins below 1 krone or krona: the rest is a payment row of its own (spec, "POS settlement"). */
function inCash(total: number): Payment[] {
  const coins = Math.sign(total) * Math.round(Math.abs(total) / 100) * 100
  const cash: Payment = { type: 'Cash', subType: 'Cash', cents: coins, txRef: '' }
  const rounding = total - coins
  return rounding === 0 ? [cash] : [cash, { type: 'Cash', subType: 'Rounding', cents: rounding, txRef: '' }]
}
