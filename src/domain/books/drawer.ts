import { addMoney, type Money, money, subtractMoney, sumMoney } from '../values/money.ts'
import { type Accounts, drawerAccount, isCash, isForeignCash, partAccount } from './accounts.ts'
import type { Settlement, SettlementRow } from './settlement.ts'

/** One account is debited, another credited, with the same. */
export interface CashMove {
  debit: string
  credit: string
  text: string
  amount: Money
}

/** Moves of the cash in the drawer besides sales. Throws PermanentError `no-account`. */
export function cashMoves(settlement: Settlement, accounts: Accounts): CashMove[] {
  const deposits = some(settlement.deposits).map((row) => ({
    debit: drawerAccount(accounts, row),
    credit: partAccount(accounts, 'deposits'),
    text: 'Deposit',
    amount: row.amount,
  }))
  const withdrawals = some(settlement.withdrawals).map((row) => ({
    debit: partAccount(accounts, 'withdrawals'),
    credit: drawerAccount(accounts, row),
    text: 'Withdrawal',
    amount: withoutSign(row.amount),
  }))
  const amount = discrepancyOf(settlement)
  if (amount.amount === '0') return [...deposits, ...withdrawals]
  const [debit, credit] = [drawerAccount(accounts, null), partAccount(accounts, 'discrepancy')]
  return [...deposits, ...withdrawals, { debit, credit, text: 'Discrepancy', amount }]
}

/**
 * Above 0: more was counted than there should be. No source says which sign `Discrepancy` has then. Where what was counted
 * less what should be there comes to the same amount, that decides; else it is read as just that difference. Nor is it said
 * whether foreign cash is counted with the rest, so both are tried.
 */
function discrepancyOf(settlement: Settlement): Money {
  const { discrepancy, closingCashBalance, currency } = settlement
  if (discrepancy === null) return money(0, currency)
  const found = [false, true].flatMap((withForeign) => {
    const expected = expectedCash(settlement, withForeign)
    return closingCashBalance && expected ? [subtractMoney(closingCashBalance, expected)] : []
  })
  return found.find((each) => withoutSign(each).amount === withoutSign(discrepancy).amount) ?? discrepancy
}

/** The cash that should be in the drawer at the end; null: the settlement does not say enough. */
function expectedCash(
  { openingCashBalance, payments, deposits, withdrawals, currency }: Settlement,
  withForeign: boolean,
): Money | null {
  if (!openingCashBalance || !payments || !deposits || !withdrawals) return null
  const cash = payments.filter((row) => isCash(row) && (withForeign || !isForeignCash(row)))
  const came = sumMoney(
    [...cash, ...deposits].map(({ amount }) => amount),
    currency,
  )
  const went = sumMoney(
    withdrawals.map(({ amount }) => withoutSign(amount)),
    currency,
  )
  return subtractMoney(addMoney(openingCashBalance, came), went)
}

function some(rows: readonly SettlementRow[] | null): SettlementRow[] {
  return (rows ?? []).filter(({ amount }) => amount.amount !== '0')
}

/** The platform may write what is taken out below 0: that it was taken out is said by where it stands. */
function withoutSign({ amount, currency }: Money): Money {
  return money(amount.replace('-', ''), currency)
}
