import type { Command } from 'commander'
import type { GapList, GapView } from '../admin/completeness.ts'
import type { KeptGap } from '../domain/completeness/gap.ts'
import { changesOf } from './shared/changes.ts'
import { idArgument, limitOption, moreLines, numberOf } from './shared/options.ts'
import { type Columns, oneLine, tableOf, when } from './shared/output.ts'
import { asks, group } from './shared/question.ts'

const list = asks<GapList>('list', 'GET /admin/gaps', {
  about: 'What is not proven to be here',
  with: (command) =>
    selectGaps(command)
      .option('--state <state>', 'open, repaired, explained', 'open')
      .option('--after <id>', 'go on behind this one', numberOf)
      .addOption(limitOption()),
  text: ({ gaps: rows, hint }, { limit }) => [
    gapTable(rows),
    hint && oneLine(hint),
    ...moreLines(rows, limit, `--after ${rows.at(-1)?.id} goes on`),
  ],
})

const showOne = asks<GapView>('show', 'GET /admin/gaps/:id', {
  about: 'One gap: its cause, what each source knows, and what repairs it',
  with: (command) => command.addArgument(idArgument('<id>', 'gaps list')),
  text: (gap) => [
    gapTable([gap]),
    '',
    gap.words,
    ...Object.entries(gap.evidence).map(([source, facts]) => `${source}: ${JSON.stringify(facts)}`),
    gap.ended === null && gap.state === 'open' && `To do: ${gap.remedy}`,
    gap.ended && `${gap.state} ${when(gap.ended.at)} by ${gap.ended.by}: ${gap.ended.reason}`,
  ],
})

const explain = changesOf<KeptGap>('explain', {
  list: 'gaps',
  about: 'Close open gaps for which nothing can be done',
  select: selectGaps,
})

export const gaps = group('gaps', 'What is not proven to be here', list, showOne, explain)

function selectGaps(command: Command): Command {
  return command
    .option('--source <source>', 'found by: log, facts, POS, destination')
    .option('--cause <cause>', 'such as failed, claimed, not-looked-at')
    .option('--kind <kind>', 'of this event kind')
    .option('--store-id <id>', "of this store, by the platform's id")
    .option('--destination <name>', 'that this destination lacks')
    .option('--day <day>', 'of this business day')
}

function gapTable(rows: readonly KeptGap[]): string {
  const columns: Columns<KeptGap> = {
    gap: 'id',
    source: 'source',
    cause: 'cause',
    kind: 'kind',
    store: 'storeId',
    ...(rows.some(({ destination }) => destination !== null) && { destination: 'destination' as const }),
    about: 'subject',
    of: ({ at }) => when(at),
    seen: ({ firstSeenAt }) => when(firstSeenAt),
    state: 'state',
  }
  return tableOf(columns, rows, 'None is known. "tillbridge complete" tells until when anybody has looked.')
}
