import { PermanentError } from '../values/errors.ts'
import { compareDecimals, roundMoney } from '../values/money.ts'
import { type Accounts, fractionOf, paymentAccount, paymentText, rateAccount } from './accounts.ts'
import { cashMoves } from './drawer.ts'
import { type JournalLine, negative } from './journal-line.ts'
import type { Settlement } from './settlement.ts'
import { soldByRate } from './sold-by-rate.ts'

/** Lines of the payments. Money given back, and gift cards and vouchers that go out, are below 0 as they come, and credits by that. */
export function paid({ payments }: Settlement, accounts: Accounts): JournalLine[] {
  if (payments === null) throw new PermanentError('the settlement names no payments', { code: 'bad-settlement' })
  return payments
    .filter(({ amount }) => amount.amount !== '0')
    .map((row) => ({
      account: paymentAccount(accounts, row),
      text: paymentText(row),
      amount: roundMoney(row.amount),
      vatRate: null,
    }))
}

/** Lines of sales and of their VAT, the highest rate first. */
export function sold(settlement: Settlement, accounts: Accounts): JournalLine[] {
  const rates = soldByRate(settlement, accounts).toSorted((a, b) => compareDecimals(b.percent, a.percent))
  return rates.flatMap(({ percent, net, vat }) =>
    [
      { part: 'sales' as const, text: `Sales ${percent} %`, sum: net },
      { part: 'vat' as const, text: `VAT ${percent} %`, sum: vat },
    ]
      .filter(({ sum }) => sum.amount !== '0')
      .map(({ part, text, sum }) => ({
        account: rateAccount(accounts, percent, part),
        text,
        amount: negative(sum),
        vatRate: fractionOf(percent),
      })),
  )
}

/** Lines of what became of the cash besides. */
export function moved(settlement: Settlement, accounts: Accounts): JournalLine[] {
  return cashMoves(settlement, accounts).flatMap(({ debit, credit, text, amount }) => {
    const sum = roundMoney(amount)
    return [
      { account: debit, text, amount: sum, vatRate: null },
      { account: credit, text, amount: negative(sum), vatRate: null },
    ]
  })
}
