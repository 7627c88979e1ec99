import { Command } from 'commander'
import type { Verdict } from '../../domain/ledger/completeness.ts'
import type { Answered } from '../../store/read-completeness.ts'
import { createClient } from '../shared/client.ts'
import { show, table, when } from '../shared/print.ts'
import { instantOption } from '../shared/values.ts'

/** How it ends: an own system may close its day on 0 alone. */
const CODES: Record<Verdict, number> = { proven: 0, gaps: 3, unknown: 4 }

const WORDS: Record<Verdict, string> = {
  proven: 'Nothing is missing.',
  gaps: 'Something is missing: tillbridge gaps list.',
  unknown: 'Nobody knows: it has not been looked at, or not lately enough (tillbridge jobs history ledger).',
}

export const complete = new Command('complete')
  .description('Is everything here? Ends with 0: proven, 3: something is missing, 4: nobody knows')
  .addOption(instantOption('--until <when>', 'until then; otherwise until lately'))
  .option('--store <id>', "in this store, by the platform's id")
  .option('--json', 'print JSON')
  .action(async ({ json, ...asked }) => {
    const client = await createClient(process.env)
    const answer = await client.get<Answered>('/admin/completeness', asked)
    show(json, answer, () => text(answer))
    process.exitCode = CODES[answer.verdict]
  })

function text({ verdict, watermarks }: Answered): string {
  const rows = watermarks.map(({ level, kind, storeId, from, until, verdict: one, gaps }) => [
    level,
    kind,
    storeId ?? 'every',
    when(from),
    when(until),
    one,
    gaps === 0 ? null : gaps,
  ])
  const head = ['by', 'kind', 'store', 'from', 'until', '', 'gaps']
  return [WORDS[verdict], '', table(head, rows, 'No sweep has ended yet.')].join('\n')
}
