import { Command } from 'commander'
import type { ActDetail, ActRow } from '../../store/screens.ts'
import { deliveryTable } from '../acts/deliveries.ts'
import { eventTable } from '../acts/events.ts'
import { moreLines } from '../shared/options.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { idArgument, instantOption, limitOption } from '../shared/values.ts'

const list = asks<{ acts: ActRow[] }>(
  new Command('list')
    .description('What people did, newest first, also what they were refused')
    .option('--by <name>', 'by this person')
    .option('--action <action>', 'such as retry, skip, release, move, reroute, pause, resume, run-job, create-key')
    .addOption(instantOption('--since <when>', 'since'))
    .addOption(instantOption('--until <when>', 'before'))
    .addOption(limitOption()),
  {
    ask: 'GET /admin/audit',
    text: ({ acts }, { limit }) => {
      const more = moreLines(acts, limit, '--limit, --since and --until tell others')
      return [actTable(acts), ...more].join('\n')
    },
  },
)

const showOne = asks<ActDetail>(
  new Command('show')
    .description('One act: what was asked for, and what it touched')
    .addArgument(idArgument('<id>', 'audit list')),
  {
    ask: 'GET /admin/audit/:id',
    text: (act) =>
      [
        actTable([act]),
        ...(act.deliveries.length > 0 ? ['', deliveryTable(act.deliveries)] : []),
        ...(act.events.length > 0 ? ['', eventTable(act.events)] : []),
        ...restText(act),
      ].join('\n'),
  },
)

export const audit = new Command('audit').description('Who did what, when and why').addCommand(list).addCommand(showOne)

function actTable(rows: ActRow[]): string {
  return tableOf(ACTS, rows, 'Nobody has done such a thing.')
}

const ACTS: Columns<ActRow> = {
  act: 'id',
  when: ({ at }) => when(at),
  who: 'by',
  did: 'action',
  touched: ({ refused, changed }) => (refused === null ? changed : 'refused'),
  which: ({ selection }) => (selection === '{}' ? '' : selection),
  why: ({ refused, reason }) => refused ?? reason,
}

function restText({ changed, deliveries, events }: ActDetail): string[] {
  const shown = Math.max(deliveries.length, events.length)
  return shown > 0 && changed > shown ? [`… and more: it touched ${changed}.`] : []
}
