import { PermanentError } from '../../domain/errors.ts'
import { compareDecimals, parseDecimal } from '../../domain/money.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../adapter.ts'
import { unlessCertain } from './uncertain.ts'

/**
 * Gift cards and vouchers that somebody paid with elsewhere (public facts). They are looked at first: the platform makes a new
 * card of a token that nobody has, so nothing is booked on one that it does not tell of. No error holds a token or a code.
 */
export function createRedemptions({
  giftCards,
  vouchers,
}: Pick<Platform, 'giftCards' | 'vouchers'>): Pick<PlatformPort, 'redeemGiftCard' | 'redeemVoucher'> {
  return {
    async redeemGiftCard({ reference, token, amount, storeId, comment, saleId }, { signal }) {
      const balance = await giftCards.balance(token, signal)
      if (balance === null) throw refused('there is no such gift card', 'no-such-gift-card')
      if (compareDecimals(balance, parseDecimal(amount)) < 0)
        throw refused(`the gift card has ${balance} left, and not ${amount}`, 'gift-card-too-low')
      const booking = { token, amount: `-${amount}`, storeId, comment: comment ?? reference, saleId }
      await giftCards.book(booking, signal).catch((error) => {
        throw unlessCertain(error)
      })
      return { note: `${amount} redeemed` }
    },

    async redeemVoucher({ code }, { signal }) {
      const voucher = await vouchers.read(code, signal)
      if (voucher === null) throw refused('there is no such voucher', 'no-such-voucher')
      if (voucher.redeemed === true) throw refused('the voucher was redeemed before', 'voucher-redeemed')
      await vouchers.redeem(code, signal).catch((error) => {
        throw unlessCertain(error)
      })
      return { note: voucher.amount === null ? 'redeemed' : `${voucher.amount} redeemed` }
    },
  }
}

function refused(why: string, code: string): PermanentError {
  return new PermanentError(`platform: ${why}. Nothing was redeemed.`, { code })
}
