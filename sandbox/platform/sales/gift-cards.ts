import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import { toAmount } from './amounts.ts'
import { storeTime } from './clock.ts'
import type { Emit } from './emit.ts'

/** A gift card; it is good where its currency is. Hundredths. */
export interface GiftCard {
  id: number
  /** The token that is printed on it. */
  token: string
  currency: string
  initial: number
  balance: number
}

/** The gift cards of the company, each step of theirs told to those who subscribed. */
export function createGiftCards(now: () => number, emit: Emit) {
  const cards: GiftCard[] = ['NOK', 'SEK'].map((currency, index) => card(index + 1, currency, 500_000))
  let transactions = 930_000

  /** Nothing shows this payload; the shape is the sandbox's own. */
  function tell(type: 'Issued' | 'Used' | 'PartlyUsed', { id, token, ...one }: GiftCard, cents: number, sale: Sale) {
    transactions += 1
    const payload = {
      companyId: 7,
      transactionId: transactions,
      giftCardId: id,
      token,
      type,
      // Below zero: it was paid with.
      amount: toAmount(cents),
      balance: toAmount(one.balance),
      initialAmount: toAmount(one.initial),
      currency: one.currency,
      saleId: sale.saleId,
      receiptNo: sale.receiptNo,
      posId: sale.posId,
      storeId: sale.store.StoreId,
      storeExtId: sale.store.StoreNo,
      createdDateTime: storeTime(now(), sale.store),
    }
    emit('GiftCardTransactionCreated', payload, sale.store)
  }

  return {
    /** In the order in which they were sold. */
    all: (): readonly GiftCard[] => cards,

    /** The card of this number, or the first that has something left; Refusal, if it is not good here. */
    usable(currency: string, token?: string): GiftCard {
      const found = cards.find((one) =>
        token === undefined ? one.currency === currency && one.balance > 0 : one.token === token,
      )
      if (!found)
        throw new Refusal(
          400,
          token ? `There is no gift card ${token}.` : `No gift card of ${currency} has anything left.`,
        )
      if (found.currency !== currency) throw new Refusal(400, `Gift card ${found.token} is of ${found.currency}.`)
      if (found.balance === 0) throw new Refusal(409, `Gift card ${found.token} has nothing left.`)
      return found
    },

    /** A new card of this worth, sold. */
    issue(worth: number, sale: Sale): GiftCard {
      const issued = card(cards.length + 1, sale.store.Currency, worth)
      cards.push(issued)
      tell('Issued', issued, worth, sale)
      return issued
    },

    /** A part of the card was paid with. */
    use(used: GiftCard, cents: number, sale: Sale): void {
      used.balance -= cents
      tell(used.balance === 0 ? 'Used' : 'PartlyUsed', used, -cents, sale)
    },
  }
}

/** Where the card was on the counter. */
interface Sale {
  saleId: number
  receiptNo: string
  posId: number
  store: Store
}

function card(id: number, currency: string, worth: number): GiftCard {
  return { id, token: `GC-${100_000 + id}`, currency, initial: worth, balance: worth }
}
