import { Command } from 'commander'
import { pluralize } from '../domain/values/text.ts'
import type { BookedAgain } from '../ingest/book-again.ts'
import { inParts } from './shared/changes.ts'
import { createClient } from './shared/client.ts'
import { changing, numberOf } from './shared/options.ts'
import { show, table } from './shared/output.ts'
import { group } from './shared/question.ts'

const again = changing(new Command('again'))
  .description('Write the records of some days into new files, each under its old key')
  .requiredOption('--destination <name>', 'a destination with the adapter "files"')
  .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
  .requiredOption('--to <day>', 'the last of them')
  .option('--flow <names>', 'only these, with commas between, such as book-sale,book-settlement')
  .option('--go-on <act>', 'go on with an act of yours that was stopped: what it has written is left out', numberOf)
  .option('--anew', 'write all of it once more, although an act of the same was stopped')
  .action(async ({ flow, json, dryRun = false, reason = null, ...which }) => {
    const client = await createClient(process.env)
    const asked = { ...which, flows: flow?.split(',') ?? null, dryRun, reason }
    const result = await inParts(
      'planning',
      (part) => client.post<BookedAgain>('/admin/files/again', { ...asked, part }),
      (act) => `To do the rest, add --go-on ${act} to the same command; with --anew, all is written once more.`,
    )
    show(json, result, () => againText(result, dryRun, which.goOn))
  })

export const files = group('files', 'Files that are written for back offices', again)

function againText({ records, days, act, ...counts }: BookedAgain, dryRun: boolean, goOn?: number): string {
  const leftOut = {
    before: `that act ${goOn} has written once more before`,
    left: 'whose payload is not kept any more',
    undated: 'that came more than 14 days later, of which day nobody can tell: their payload is not kept any more',
    unplanned: "of these days that today's config does not write",
  }
  const rows = Object.entries(days)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([day, flows]) => Object.entries(flows).map(([flow, count]) => [day, flow, count]))
  return [
    dryRun
      ? `${pluralize(records, 'record')} would be written once more. Nothing was changed.`
      : `${pluralize(records, 'record')} ${records === 1 ? 'is' : 'are'} written once more, into files of their own (audit entry ${act}).`,
    ...(['before', 'left', 'undated', 'unplanned'] as const).flatMap((why) =>
      counts[why] > 0 ? [`Left out: ${pluralize(counts[why], 'record')} ${leftOut[why]}.`] : [],
    ),
    '',
    table(["store's day", 'flow', 'records'], rows, 'Nothing was given to it in these days.'),
  ].join('\n')
}
