import { PermanentError } from '../../domain/values/errors.ts'
import { compareDecimals, parseDecimal } from '../../domain/values/money.ts'
import type { Platform } from '../../platform/platform.ts'
import type { PlatformPort } from '../../ports/platform.ts'
import { sentOnce } from './uncertain.ts'

/**
 * Gift cards and vouchers that somebody paid with elsewhere (public facts). They are looked at first: the platform makes a new
 * card of a token that nobody has, so nothing is booked on one that it does not tell of. No error holds a token or a code.
 */
export function createRedemptions({
  giftCards,
  vouchers,
  operations,
}: Pick<Platform, 'giftCards' | 'vouchers' | 'operations'>): Pick<PlatformPort, 'redeemGiftCard' | 'redeemVoucher'> {
  /** A platform that has never told of any proves nothing by telling of none: it may have no such endpoint. */
  async function none(what: 'gift card' | 'voucher', operation: 'giftCards.balance' | 'vouchers.read') {
    if (await operations.isProven(operation))
      return refused(`there is no such ${what}`, `no-such-${what.replace(' ', '-')}`)
    return refused(
      `it has never told of any ${what}, so that it tells of none here proves nothing (platform.endpoints, ${operation})`,
      'not-proven',
    )
  }

  return {
    async redeemGiftCard({ reference, token, amount, storeId, comment, saleId }, { signal }) {
      const balance = await giftCards.balance(token, signal)
      if (balance === null) throw await none('gift card', 'giftCards.balance')
      if (compareDecimals(balance, parseDecimal(amount)) < 0)
        throw refused(`the gift card has ${balance} left, and not ${amount}`, 'gift-card-too-low')
      const booking = { token, amount: `-${amount}`, storeId, comment: comment ?? reference, saleId }
      await sentOnce(giftCards.book(booking, signal))
      return { note: `${amount} redeemed` }
    },

    async redeemVoucher({ code }, { signal }) {
      const voucher = await vouchers.read(code, signal)
      if (voucher === null) throw await none('voucher', 'vouchers.read')
      if (voucher.redeemed === true) throw refused('the voucher was redeemed before', 'voucher-redeemed')
      await sentOnce(vouchers.redeem(code, signal))
      return { note: voucher.amount === null ? 'redeemed' : `${voucher.amount} redeemed` }
    },
  }
}

function refused(why: string, code: string): PermanentError {
  return new PermanentError(`platform: ${why}. Nothing was redeemed.`, { code })
}
