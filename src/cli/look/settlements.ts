import { Command } from 'commander'
import type { MissingSettlements } from '../../admin/find/settlements.ts'
import { counted } from '../../domain/values/text.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { asks } from '../shared/question.ts'
import { tableOf } from '../shared/table.ts'

const missing = asks<MissingSettlements>(
  new Command('missing')
    .description('Tills that sold on a day and have no settlement of it, by the sales and settlements of the mirror')
    .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
    .requiredOption('--to <day>', 'the last of them')
    .option('--store <number>', "of this store: its number, or the platform's id"),
  {
    ask: 'GET /admin/settlements/missing',
    text: missingText,
    exit: (found) => (found.missing.length > 0 ? EXIT.problem : undefined),
  },
)

export const settlements = new Command('settlements').description('Settlements of tills').addCommand(missing)

function missingText({ missing: tills, sales, settlements: made }: MissingSettlements): string {
  return [
    `${counted(sales, 'sale')} and ${counted(made, 'settlement')} were looked at.`,
    '',
    tableOf(
      { "store's day": 'day', store: 'store', till: 'posId', sales: 'sales', receipts: receiptsOf },
      tills,
      sales === 0
        ? 'Nothing was sold in these days, as far as the mirror has it.'
        : 'Each till that sold has its settlement.',
    ),
  ].join('\n')
}

function receiptsOf({ firstReceipt, lastReceipt }: MissingSettlements['missing'][number]): string | null {
  return firstReceipt === lastReceipt ? firstReceipt : `${firstReceipt} to ${lastReceipt}`
}
