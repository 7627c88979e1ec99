import { amountText, type Money, sumMoney } from '../values/money.ts'
import type { Accounts } from './accounts.ts'
import { type JournalLine, negative } from './journal-line.ts'
import { moved, paid, sold } from './journal-lines.ts'
import type { Settlement } from './settlement.ts'

/** A settlement as an entry in the books: its lines add up to 0.00 (debit above 0, credit below). */
export interface Journal {
  lines: JournalLine[]
  /** The amount missing to 0.00, on either side. A journal that is posted has 0, or stands on the account of differences. */
  difference: Money
}

/**
 * Payments against what was sold for them, and what became of the cash besides. Amounts are in whole coins, and none is 0.
 * Throws PermanentError `no-account` that says what to add to config, `bad-settlement` where the settlement does not say
 * enough.
 */
export function journalOf(settlement: Settlement, accounts: Accounts): Journal {
  const lines = [...paid(settlement, accounts), ...sold(settlement, accounts), ...moved(settlement, accounts)]
  return closed(together(lines), settlement.currency)
}

/** For people: `debit is 12.50 NOK more than credit`. */
export function differenceText({ difference }: Journal): string {
  const amount = `${amountText(difference).replace('-', '')} ${difference.currency}`
  if (difference.amount === '0') return 'debit and credit are the same'
  return isDebit(difference) ? `debit is ${amount} more than credit` : `credit is ${amount} more than debit`
}

/** The same with a line of what is missing, so that it balances. */
export function withDifference({ lines, difference }: Journal, account: string, text: string): Journal {
  const line = { account, text, amount: negative(difference), vatRate: null }
  return closed(difference.amount === '0' ? lines : [...lines, line], difference.currency)
}

function closed(lines: JournalLine[], currency: string): Journal {
  const amounts = lines.map(({ amount }) => amount)
  return { lines, difference: sumMoney(amounts, currency) }
}

/** Lines of one account and text as one, where they come to something. */
function together(lines: readonly JournalLine[]): JournalLine[] {
  const same = Map.groupBy(lines, ({ account, text }) => `${account}\n${text}`)
  return [...same.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const amounts = all.map(({ amount }) => amount)
    const amount = sumMoney(amounts, first.amount.currency)
    return amount.amount === '0' ? [] : [{ ...first, amount }]
  })
}

function isDebit({ amount }: Money): boolean {
  return !amount.startsWith('-')
}
