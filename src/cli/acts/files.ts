import { Command } from 'commander'
import { counted } from '../../domain/values/text.ts'
import type { BookedAgain } from '../../inbox/book-again.ts'
import { createClient } from '../shared/client.ts'
import { changing } from '../shared/options.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { numberOf } from '../shared/values.ts'
import { inParts } from './in-parts.ts'

const again = changing(new Command('again'))
  .description('Write what a back office was given of some days once more, each record under the key that it has')
  .requiredOption('--destination <name>', 'a destination with the adapter "files"')
  .requiredOption('--from <day>', "the first of the stores' days: 2026-11-16")
  .requiredOption('--to <day>', 'the last of them')
  .option('--flow <names>', 'only these, with commas between, such as book-sale,book-settlement')
  .option('--go-on <act>', 'go on with an act of yours that was stopped: what it has written is left out', numberOf)
  .option('--anew', 'write all of it once more, although an act of the same was stopped')
  .action(async ({ destination, from, to, flow, goOn, anew, dryRun = false, reason = null, json }) => {
    const client = await createClient(process.env)
    const which = { destination, from, to, flows: flow?.split(',') ?? null }
    const asked = { ...which, ...(goOn !== undefined && { goOn }), ...(anew && { anew }), dryRun, reason }
    const result = await inParts((part) => client.post<BookedAgain>('/admin/files/again', { ...asked, part }), {
      doing: 'planning',
      join: joined,
      far: ({ looked }) => ({ done: looked, of: null }),
      rest: (act) => `To do the rest, add --go-on ${act} to the same command; with --anew, all is written once more.`,
    })
    show(json, result, () => againText(result, dryRun, goOn))
  })

export const files = new Command('files').description('Files that are written for back offices').addCommand(again)

function joined(all: BookedAgain, more: BookedAgain): BookedAgain {
  const days = structuredClone(all.days)
  for (const [day, flows] of Object.entries(more.days))
    for (const [flow, count] of Object.entries(flows)) {
      const known = days[day] ?? {}
      days[day] = { ...known, [flow]: (known[flow] ?? 0) + count }
    }
  return {
    ...all,
    records: all.records + more.records,
    left: all.left + more.left,
    undated: all.undated + more.undated,
    unplanned: all.unplanned + more.unplanned,
    before: all.before + more.before,
    looked: all.looked + more.looked,
    days,
    next: more.next,
  }
}

function againText(
  { records, days, left, undated, unplanned, before, act }: BookedAgain,
  dryRun: boolean,
  goOn?: number,
): string {
  const rows = Object.entries(days)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([day, flows]) => Object.entries(flows).map(([flow, count]) => [day, flow, count]))
  return [
    dryRun
      ? `${counted(records, 'record')} would be written once more. Nothing was changed.`
      : `${counted(records, 'record')} ${records === 1 ? 'is' : 'are'} written once more, into files of their own (audit entry ${act}).`,
    ...(before > 0 ? [`Left out: ${counted(before, 'record')} that act ${goOn} has written once more before.`] : []),
    ...(left > 0 ? [`Left out: ${counted(left, 'record')} whose payload is not kept any more.`] : []),
    ...(undated > 0
      ? [
          `Perhaps left out: ${counted(undated, 'record')} that came more than 14 days later, and whose payload is not kept any more: of which day, nobody can tell.`,
        ]
      : []),
    ...(unplanned > 0
      ? [`Left out: ${counted(unplanned, 'record')} of these days that today's config does not write.`]
      : []),
    '',
    table(["store's day", 'flow', 'records'], rows, 'Nothing was given to it in these days.'),
  ].join('\n')
}
