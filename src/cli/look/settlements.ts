import { Command } from 'commander'
import type { MissingSettlements } from '../../admin/find/settlements.ts'
import { counted } from '../../domain/values/counted.ts'
import { createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'

const missing = new Command('missing')
  .description('Tills that sold on a day and have no settlement of it, by the sales and settlements of the mirror')
  .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
  .requiredOption('--to <day>', 'the last of them')
  .option('--store <number>', "of this store: its number, or the platform's id")
  .option('--json', 'print JSON')
  .action(async ({ json, ...asked }) => {
    const client = await createClient(process.env)
    const found = await client.get<MissingSettlements>('/admin/settlements/missing', asked)
    show(json, found, () => missingText(found))
    if (found.missing.length > 0) process.exitCode = EXIT.problem
  })

export const settlements = new Command('settlements').description('Settlements of tills').addCommand(missing)

function missingText({ missing: tills, sales, settlements: made }: MissingSettlements): string {
  return [
    `${counted(sales, 'sale')} and ${counted(made, 'settlement')} were looked at.`,
    '',
    table(
      ["store's day", 'store', 'till', 'sales', 'receipts'],
      tills.map(({ day, store, posId, sales: sold, firstReceipt, lastReceipt }) => [
        day,
        store,
        posId,
        sold,
        firstReceipt === lastReceipt ? firstReceipt : `${firstReceipt} to ${lastReceipt}`,
      ]),
      sales === 0
        ? 'Nothing was sold in these days, as far as the mirror has it.'
        : 'Each till that sold has its settlement.',
    ),
  ].join('\n')
}
