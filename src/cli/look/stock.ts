import { Command } from 'commander'
import type { StockDifference } from '../../domain/catalogue/finding.ts'
import { counted } from '../../domain/values/text.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { choice } from '../shared/values.ts'
import { whyNone } from './why-none.ts'

const differences = asks<{ differences: StockDifference[] }>(
  new Command('differences')
    .description('Where platform, mirror and shops did not agree, and why')
    .option('--run <run>', 'of one run of the job reconcile-stock')
    .addOption(choice('--state <state>', 'what became of them', ['proposed', 'corrected'])),
  {
    ask: 'GET /admin/stock/differences',
    text: async ({ differences: rows }, _, client) => {
      const none = rows.length > 0 ? '' : await whyNone(client, 'reconcile-stock', 'No differences.')
      return tableOf(DIFFERENCES, rows, none)
    },
  },
)

const approve = asks<{ run: string; corrected: number }>(
  new Command('approve')
    .description('Correct the differences of a run that wait for approval')
    .argument('<run>')
    .requiredOption('--reason <text>', 'why, for the record'),
  {
    ask: 'POST /admin/stock/approve',
    asked: (options, run) => ({ ...options, run }),
    text: ({ run, corrected }) =>
      `${counted(corrected, 'difference')} of ${run} ${corrected === 1 ? 'is' : 'are'} being corrected.`,
  },
)

export const stock = new Command('stock')
  .description('What the weekly comparison of stock found')
  .addCommand(differences)
  .addCommand(approve)

const DIFFERENCES: Columns<StockDifference> = {
  run: 'run',
  where: ({ of }) => ('stockId' in of ? `mirror, stock ${of.stockId}` : `${of.destination}, ${of.location}`),
  article: ({ sku, gtin }) => sku ?? gtin,
  has: 'found',
  'should have': 'right',
  cause: 'cause',
  state: 'state',
  '': 'detail',
}
