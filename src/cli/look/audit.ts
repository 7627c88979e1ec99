import { Command } from 'commander'
import type { ActDetail, ActRow } from '../../store/screens.ts'
import { deliveryTable } from '../acts/deliveries.ts'
import { eventTable } from '../acts/events.ts'
import { createClient } from '../shared/client.ts'
import { moreLines } from '../shared/options.ts'
import { show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { idArgument, instantOption, limitOption } from '../shared/values.ts'

const list = new Command('list')
  .description('What people did, newest first, also what they were refused')
  .option('--by <name>', 'by this person')
  .option('--action <action>', 'such as retry, skip, release, move, reroute, pause, resume, run-job, create-key')
  .addOption(instantOption('--since <when>', 'since'))
  .addOption(instantOption('--until <when>', 'before'))
  .addOption(limitOption())
  .option('--json', 'print JSON')
  .action(async ({ json, ...asked }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ acts: ActRow[] }>('/admin/audit', asked)
    const more = moreLines(found.acts, asked.limit, '--limit, --since and --until tell others')
    show(json, found, () => [actTable(found.acts), ...more].join('\n'))
  })

const showOne = new Command('show')
  .description('One act: what was asked for, and what it touched')
  .addArgument(idArgument('<id>', 'audit list'))
  .option('--json', 'print JSON')
  .action(async (id, { json }) => {
    const client = await createClient(process.env)
    const act = await client.get<ActDetail>(`/admin/audit/${id}`)
    show(json, act, () =>
      [
        actTable([act]),
        ...(act.deliveries.length > 0 ? ['', deliveryTable(act.deliveries)] : []),
        ...(act.events.length > 0 ? ['', eventTable(act.events)] : []),
        ...restText(act),
      ].join('\n'),
    )
  })

export const audit = new Command('audit').description('Who did what, when and why').addCommand(list).addCommand(showOne)

function actTable(rows: ActRow[]): string {
  return table(
    ['act', 'when', 'who', 'did', 'touched', 'which', 'why'],
    rows.map(({ id, at, by, action, changed, selection, reason, refused }) => [
      id,
      when(at),
      by,
      action,
      refused === null ? changed : 'refused',
      selection === '{}' ? '' : selection,
      refused ?? reason,
    ]),
    'Nobody has done such a thing.',
  )
}

function restText({ changed, deliveries, events }: ActDetail): string[] {
  const shown = Math.max(deliveries.length, events.length)
  return shown > 0 && changed > shown ? [`… and more: it touched ${changed}.`] : []
}
