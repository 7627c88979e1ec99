import { Command } from 'commander'
import type { StockDifference } from '../../domain/catalogue/finding.ts'
import { counted } from '../../domain/values/counted.ts'
import { createClient } from '../shared/client.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { choice } from '../shared/values.ts'
import { whyNone } from './why-none.ts'

const differences = new Command('differences')
  .description('Where platform, mirror and shops did not agree, and why')
  .option('--run <run>', 'of one run of the job reconcile-stock')
  .addOption(choice('--state <state>', 'what became of them', ['proposed', 'corrected']))
  .option('--json', 'print JSON')
  .action(async ({ json, ...filter }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ differences: StockDifference[] }>('/admin/stock/differences', filter)
    const none = found.differences.length > 0 ? '' : await whyNone(client, 'reconcile-stock', 'No differences.')
    show(json, found, () => differenceTable(found.differences, none))
  })

const approve = new Command('approve')
  .description('Correct the differences of a run that wait for approval')
  .argument('<run>')
  .requiredOption('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action(async (run, { reason, json }) => {
    const client = await createClient(process.env)
    const done = await client.post<{ corrected: number }>('/admin/stock/approve', { run, reason })
    show(
      json,
      done,
      () =>
        `${counted(done.corrected, 'difference')} of ${run} ${done.corrected === 1 ? 'is' : 'are'} being corrected.`,
    )
  })

export const stock = new Command('stock')
  .description('What the weekly comparison of stock found')
  .addCommand(differences)
  .addCommand(approve)

function differenceTable(rows: readonly StockDifference[], none: string): string {
  return table(
    ['run', 'where', 'article', 'has', 'should have', 'cause', 'state', ''],
    rows.map(({ run, of, gtin, sku, found, right, cause, state, detail }) => [
      run,
      'stockId' in of ? `mirror, stock ${of.stockId}` : `${of.destination}, ${of.location}`,
      sku ?? gtin,
      found,
      right,
      cause,
      state,
      detail,
    ]),
    none,
  )
}
