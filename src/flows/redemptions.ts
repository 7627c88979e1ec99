import type { SubmittedRedemption, SubmittedVoucher } from '../domain/catalogue/submitted.ts'
import { payloadOf } from '../domain/queue/event.ts'
import type { Flow } from './flow.ts'

/*
 * Gift cards and vouchers that somebody paid with in the online store (public facts). It is money: what may have been taken off
 * a card is not taken off again on a guess. A balance that is lower afterwards proves nothing, since a till may have used the
 * card meanwhile; so an uncertain one waits for a person.
 */

const paid = { port: 'platform', once: true, noFind: true, onUnknown: 'hold', urgency: 'prompt' } as const

const redeemGiftCard: Flow = {
  ...paid,
  name: 'redeem-gift-card',
  kinds: ['RedemptionSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'redeemGiftCard', argument: payloadOf(event) as SubmittedRedemption }),
}

const redeemVoucher: Flow = {
  ...paid,
  name: 'redeem-voucher',
  kinds: ['VoucherSubmitted'],
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'redeemVoucher', argument: payloadOf(event) as SubmittedVoucher }),
}

/** Gift cards and vouchers that the shop redeems: every flow of this file. */
export const redemptions: readonly Flow[] = [redeemGiftCard, redeemVoucher]
