import type { Store } from '../stores.ts'
import { toAmount } from './amounts.ts'
import type { SalesBook, Sold } from './book.ts'
import { storeTime } from './clock.ts'
import type { Emit } from './emit.ts'

/** The POS of each store, two, each with a bank terminal. */
const POSS = [1, 2]

/** The counts of the bank terminals by themselves, apart from the settlements of the POS. */
export function createBankTerminals({ sold }: Pick<SalesBook, 'sold'>, now: () => number, emit: Emit) {
  const counted = new Set<Sold>()
  let reconciliations = 440_000

  return {
    /** Prints the reconciliation of each terminal of the store: what went over it since the last one. */
    print(store: Store): { reconciliationId: number; posId: number; amount: number }[] {
      return POSS.map((pos) => {
        const posId = store.StoreId * 10 + pos
        const open = sold.filter((sale) => sale.receipt.posId === posId && !counted.has(sale))
        for (const sale of open) counted.add(sale)
        reconciliations += 1
        const payload = payloadOf(reconciliations, store, posId, open, now())
        emit('BankterminalReconciliationPrinted', payload, store)
        return { reconciliationId: reconciliations, posId, amount: payload.amount }
      })
    },
  }
}

/** Nothing shows this payload; the shape is the sandbox's own. */
function payloadOf(reconciliationId: number, store: Store, posId: number, sales: readonly Sold[], instant: number) {
  const cards = sales.flatMap(({ receipt }) => receipt.payments).filter(({ type }) => type === 'Card')
  const schemes = [...Map.groupBy(cards, ({ subType }) => subType ?? '')].map(([scheme, same]) => ({
    scheme,
    count: same.length,
    amount: toAmount(same.reduce((sum, { cents }) => sum + cents, 0)),
  }))
  const amount = toAmount(cards.reduce((sum, { cents }) => sum + cents, 0))
  return {
    companyId: 7,
    reconciliationId,
    storeId: store.StoreId,
    storeExtId: store.StoreNo,
    storeName: store.StoreName,
    posId,
    posName: `POS ${posId % 10}`,
    terminalId: `T-${posId}`,
    currency: store.Currency,
    count: cards.length,
    amount,
    schemes,
    text: `RECONCILIATION ${reconciliationId}\nTERMINAL T-${posId}\nTOTAL ${store.Currency} ${amount.toFixed(2)}`,
    printedDateTime: storeTime(instant, store),
  }
}
