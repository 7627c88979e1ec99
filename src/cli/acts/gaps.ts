import { Command } from 'commander'
import type { GapList, ToldGap } from '../../admin/gaps.ts'
import type { KeptGap } from '../../domain/ledger/gap.ts'
import { counted } from '../../domain/values/text.ts'
import { changing, moreLines } from '../shared/options.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { idArgument, limitOption, numberOf } from '../shared/values.ts'
import { changeAll } from './change-all.ts'
import { cameToNothing, hintLines, leftAlone, showDone } from './named.ts'

/** The options by which gaps are selected. */
function selectGaps(command: Command): Command {
  return command
    .option('--road <road>', 'found by: log, facts, till, destination')
    .option('--cause <cause>', 'such as failed, claimed, not-looked-at')
    .option('--kind <kind>', 'of this event kind')
    .option('--store-id <id>', "of this store, by the platform's id")
    .option('--destination <name>', 'that this destination lacks')
    .option('--day <day>', 'of this business day')
}

const list = asks<GapList>(
  selectGaps(new Command('list'))
    .description('What is not proven to be here, as it was found')
    .option('--state <state>', 'open, mended, explained, noted', 'open')
    .option('--after <id>', 'go on behind this one', numberOf)
    .addOption(limitOption()),
  {
    ask: 'GET /admin/gaps',
    text: (found, { limit }) => {
      const more = moreLines(found.gaps, limit, `--after ${found.gaps.at(-1)?.id} goes on`)
      return [gapTable(found.gaps), ...hintLines(found), ...more].join('\n')
    },
  },
)

const showOne = asks<ToldGap>(
  new Command('show')
    .description('One gap: its cause, what each road knows of it, and what mends it')
    .addArgument(idArgument('<id>', 'gaps list')),
  {
    ask: 'GET /admin/gaps/:id',
    text: (gap) => [gapTable([gap]), '', gap.words, ...evidenceOf(gap), ...endOf(gap)].join('\n'),
  },
)

const explain = changing(selectGaps(new Command('explain')))
  .description('Say why nothing has to be done about open gaps; --reason says why')
  .addArgument(idArgument('[id]', 'gaps list'))
  .action(async (id, { dryRun = false, reason = null, json, ...filter }) => {
    const which = { ...filter, ...(id !== undefined && { id }) }
    const result = await changeAll<KeptGap>('/admin/gaps/explain', { filter: which, dryRun, reason })
    const isLeft = id !== undefined && cameToNothing(result, dryRun)
    const why = () => 'explain changes nothing of that.'
    const left = isLeft ? await leftAlone('gaps', { ...which, id }, why) : null
    const text = () =>
      dryRun
        ? `explain would touch ${counted(result.matched ?? 0, 'gap')}. Nothing was changed.`
        : `explain: ${counted(result.changed, 'gap')} (audit entry ${result.act}).`
    showDone(json, result, () => [text(), ...hintLines(result)].join('\n'), left)
  })

export const gaps = new Command('gaps')
  .description('What is not proven to be here')
  .addCommand(list)
  .addCommand(showOne)
  .addCommand(explain)

function evidenceOf({ evidence }: KeptGap): string[] {
  return Object.entries(evidence).map(([road, facts]) => `${road}: ${JSON.stringify(facts)}`)
}

function endOf({ state, ended, mends }: ToldGap): string[] {
  if (ended === null) return state === 'open' ? [`To do: ${mends}`] : []
  return [`${state} ${when(ended.at)} by ${ended.by}: ${ended.reason}`]
}

function gapTable(rows: readonly KeptGap[]): string {
  const isElsewhere = rows.some(({ destination }) => destination !== null)
  const columns: Columns<KeptGap> = {
    gap: 'id',
    road: 'road',
    cause: 'cause',
    kind: 'kind',
    store: 'storeId',
    ...(isElsewhere && { destination: 'destination' }),
    about: 'subject',
    of: ({ at }) => when(at),
    seen: ({ firstSeenAt }) => when(firstSeenAt),
    state: 'state',
  }
  return tableOf(columns, rows, 'None is known. "tillbridge complete" tells until when anybody has looked.')
}
