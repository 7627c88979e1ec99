import type { ActDetail, ActRow } from '../storage/rows.ts'
import { deliveryTable } from './deliveries.ts'
import { eventTable } from './events.ts'
import { idArgument, instantOption, limitOption, moreLines } from './shared/options.ts'
import { type Columns, tableOf, when } from './shared/output.ts'
import { asks, group } from './shared/question.ts'

const ACTS: Columns<ActRow> = {
  act: 'id',
  when: ({ at }) => when(at),
  who: 'by',
  did: 'action',
  touched: ({ refused, changed }) => (refused === null ? changed : 'refused'),
  which: ({ selection }) => (selection === '{}' ? '' : selection),
  why: ({ refused, reason }) => refused ?? reason,
}

const list = asks<{ acts: ActRow[] }>('list', 'GET /admin/audit', {
  about: 'What operators did, newest first, refused acts too',
  with: (command) =>
    command
      .option('--by <name>', 'by this person')
      .option('--action <action>', 'such as retry, skip, release, move, reroute, pause, resume, run-job, create-key')
      .addOption(instantOption('--since <when>', 'since'))
      .addOption(instantOption('--until <when>', 'before'))
      .addOption(limitOption()),
  text: ({ acts }, { limit }) => [
    actTable(acts),
    ...moreLines(acts, limit, '--limit, --since and --until tell others'),
  ],
})

const showOne = asks<ActDetail>('show', 'GET /admin/audit/:id', {
  about: 'One operation: what was asked for, and what it touched',
  with: (command) => command.addArgument(idArgument('<id>', 'audit list')),
  text: (act) => {
    const shown = Math.max(act.deliveries.length, act.events.length)
    return [
      actTable([act]),
      act.deliveries.length > 0 && `\n${deliveryTable(act.deliveries)}`,
      act.events.length > 0 && `\n${eventTable(act.events)}`,
      shown > 0 && act.changed > shown && `… and more: it touched ${act.changed}.`,
    ]
  },
})

export const audit = group('audit', 'Who did what, when and why', list, showOne)

function actTable(rows: ActRow[]): string {
  return tableOf(ACTS, rows, 'Nobody has done such a thing.')
}
