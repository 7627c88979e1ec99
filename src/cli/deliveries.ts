import { Command } from 'commander'
import type { DeliveryDetail, DeliveryRow } from '../store/screens.ts'
import type { Changed } from '../store/store.ts'
import { createClient } from './client.ts'
import { changing, filterOf, selectDeliveries } from './options.ts'
import { ago, show, table, when } from './print.ts'

const list = selectDeliveries(new Command('list'))
  .description('Deliveries, newest first')
  .option('--before <id>', 'older than this one')
  .option('--limit <n>', 'so many', '50')
  .option('--json', 'print JSON')
  .action(async ({ json, limit, ...options }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ deliveries: DeliveryRow[] }>('/admin/deliveries', { ...filterOf(options), limit })
    show(json, found, () => deliveryTable(found.deliveries))
  })

const showOne = new Command('show')
  .description('One delivery: attempts, and what people did')
  .argument('<id>')
  .option('--json', 'print JSON')
  .action(async (id, { json }) => {
    const client = await createClient(process.env)
    const delivery = await client.get<DeliveryDetail>(`/admin/deliveries/${Number(id)}`)
    const attempts = delivery.attempts.map(({ at, ms, outcome, code, note }) => [
      when(at),
      `${ms} ms`,
      outcome,
      code,
      note,
    ])
    const acts = delivery.audit.map(({ at, by, action, reason }) => [when(at), by, action, reason])
    show(json, delivery, () =>
      [
        deliveryTable([delivery]),
        '',
        table(['attempt', 'took', 'outcome', 'code', 'note'], attempts, 'Not tried yet.'),
        '',
        table(['when', 'who', 'did', 'why'], acts, 'Nobody has touched it.'),
      ].join('\n'),
    )
  })

const retry = changing(selectDeliveries(new Command('retry')))
  .description(
    'Try again: one by its id, or all that a filter selects (each in the order of its entity, and after what is not tried again)',
  )
  .argument('[id]')
  .option('--again', 'also where a first effect is uncertain, at the price of a second one')
  .action((id, options) => change('retry', id, options, { again: options.again ?? false }))

const skip = changing(selectDeliveries(new Command('skip')))
  .description('Decide that deliveries are not to be made')
  .argument('[id]')
  .action((id, options) => change('skip', id, options, {}))

const release = changing(selectDeliveries(new Command('release')))
  .description(
    'Let deliveries go that are held for what they say, such as a settlement that does not balance; --reason says why',
  )
  .argument('[id]')
  .action((id, options) => change('release', id, options, {}))

const move = changing(new Command('move'))
  .description('Owe what a destination has not got to another one')
  .requiredOption('--from <name>', 'a destination, in config or not any more')
  .requiredOption('--to <name>', 'a destination of the config')
  .action(async ({ from, to, dryRun = false, reason = null, json }) => {
    const client = await createClient(process.env)
    report(await client.post<Changed>('/admin/deliveries/move', { from, to, dryRun, reason }), 'move', dryRun, json)
  })

export const deliveries = new Command('deliveries')
  .description('What is owed to whom')
  .addCommand(list)
  .addCommand(showOne)
  .addCommand(retry)
  .addCommand(skip)
  .addCommand(release)
  .addCommand(move)

async function change(
  verb: 'retry' | 'skip' | 'release',
  id: string | undefined,
  options: { dryRun?: boolean; reason?: string; json?: boolean },
  more: object,
): Promise<void> {
  const client = await createClient(process.env)
  const { dryRun = false, reason = null, json } = options
  const filter = { ...filterOf(options), ...(id !== undefined && { id: Number(id) }) }
  report(
    await client.post<Changed>(`/admin/deliveries/${verb}`, { filter, dryRun, reason, ...more }),
    verb,
    dryRun,
    json,
  )
}

function report(result: Changed, verb: string, dryRun: boolean, json: boolean | undefined) {
  const { matched, changed, sample } = result
  show(json, result, () =>
    [
      dryRun
        ? `${verb} would touch ${matched} deliveries. Nothing was changed.`
        : `${verb}: ${changed} of ${matched} deliveries.`,
      ...(sample.length > 0 ? ['', deliveryTable(sample)] : []),
      ...(matched > sample.length ? [`… and ${matched - sample.length} more.`] : []),
    ].join('\n'),
  )
}

export function deliveryTable(rows: DeliveryRow[]): string {
  return table(
    ['delivery', 'event', 'kind', 'flow', 'destination', 'state', 'tries', 'about', ''],
    rows.map((row) => [
      row.id,
      row.event,
      row.kind,
      row.part ? `${row.flow}/${row.part}` : row.flow,
      row.destination,
      row.state,
      row.tries,
      row.entity,
      row.state === 'waiting' && row.dueAt > Date.now() ? `again ${when(row.dueAt)}: ${row.why}` : explain(row),
    ]),
    'No such deliveries.',
  )
}

function explain({ why, settledAt, state, yields }: DeliveryRow): string {
  if (why) return why
  if (state === 'waiting' && yields) return 'after the others of its lane'
  return settledAt === null ? '' : `${ago(settledAt)} ago`
}
