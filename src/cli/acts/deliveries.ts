import { Command } from 'commander'
import type { DeliveryList } from '../../admin/lists.ts'
import { DRY_RUN } from '../../domain/queue/outcome.ts'
import type { DeliveryDetail, DeliveryRow } from '../../store/screens.ts'
import type { Changed } from '../../store/store.ts'
import { deedTable } from '../look/deed-table.ts'
import { createClient } from '../shared/client.ts'
import { changing, filterOf, paging, selectDeliveries } from '../shared/options.ts'
import { ago, oneLine, show, table, when } from '../shared/print.ts'
import { idArgument } from '../shared/values.ts'
import { inParts, type PartAsked } from './in-parts.ts'

const list = paging(selectDeliveries(new Command('list')))
  .description('Deliveries, newest first')
  .option('--json', 'print JSON')
  .action(async ({ json, limit, ...options }) => {
    const client = await createClient(process.env)
    const found = await client.get<DeliveryList>('/admin/deliveries', { ...filterOf(options), limit })
    show(json, found, () => found.hint ?? deliveryTable(found.deliveries))
  })

const showOne = new Command('show')
  .description('One delivery: attempts, and what people did')
  .addArgument(idArgument('<id>', 'deliveries list'))
  .option('--reveal', 'show whom a message went to in full; the audit has that you looked')
  .option('--json', 'print JSON')
  .action(async (id, { reveal, json }) => {
    const client = await createClient(process.env)
    const path = `/admin/deliveries/${id}`
    const delivery = await client.get<DeliveryDetail & { recipient: string | null }>(path, { reveal })
    const attempts = delivery.attempts.map(({ at, ms, outcome, code, note }) => [
      when(at),
      `${ms} ms`,
      outcome,
      code,
      note,
    ])
    show(json, delivery, () =>
      [
        deliveryTable([delivery]),
        ...(delivery.recipient === null ? [] : [`To: ${oneLine(delivery.recipient)}`]),
        '',
        table(['attempt', 'took', 'outcome', 'code', 'note'], attempts, 'Not tried yet.'),
        '',
        deedTable(delivery.audit, 'Nobody has touched it.'),
      ].join('\n'),
    )
  })

const retry = changing(selectDeliveries(new Command('retry')))
  .description(
    'Try again: one by its id, or all that a filter selects (each in the order of its entity, and after what is not tried again)',
  )
  .addArgument(idArgument('[id]', 'deliveries list'))
  .option('--again', 'also where a first effect is uncertain, at the price of a second one')
  .action((id, options) => change('retry', id, options, { again: options.again ?? false }))

const skip = changing(selectDeliveries(new Command('skip')))
  .description('Decide that deliveries are not to be made')
  .addArgument(idArgument('[id]', 'deliveries list'))
  .action((id, options) => change('skip', id, options, {}))

const release = changing(selectDeliveries(new Command('release')))
  .description(
    'Let deliveries go that are held for what they say, such as a settlement that does not balance; --reason says why',
  )
  .addArgument(idArgument('[id]', 'deliveries list'))
  .action((id, options) => change('release', id, options, {}))

const move = changing(new Command('move'))
  .description('Owe what a destination has not got to another one')
  .requiredOption('--from <name>', 'a destination, in config or not any more')
  .requiredOption('--to <name>', 'a destination of the config')
  .action(async ({ from, to, dryRun = false, reason = null, json }) => {
    report(await changeAll('move', { from, to, dryRun, reason }), 'move', dryRun, json)
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
  id: number | undefined,
  options: { dryRun?: boolean; reason?: string; json?: boolean },
  more: object,
): Promise<void> {
  const { dryRun = false, reason = null, json } = options
  const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
  report(await changeAll(verb, { filter, dryRun, reason, ...more }), verb, dryRun, json)
}

/** Part by part; a dry run changes nothing, and is one question. */
async function changeAll(verb: string, asked: { dryRun: boolean } & Record<string, unknown>): Promise<Changed> {
  const client = await createClient(process.env)
  const ask = (part?: PartAsked) =>
    client.post<Changed>(`/admin/deliveries/${verb}`, { ...asked, ...(part && { part }) })
  if (asked.dryRun) return await ask()
  return await inParts(ask, {
    doing: 'changing',
    join: (all, more) => ({ ...more, matched: all.matched, changed: all.changed + more.changed }),
    far: ({ changed, matched }) => ({ done: changed, of: matched }),
  })
}

function report(result: Changed, verb: string, dryRun: boolean, json: boolean | undefined) {
  const { changed, sample, act } = result
  const matched = result.matched ?? changed
  show(json, result, () =>
    [
      dryRun
        ? `${verb} would touch ${matched} deliveries. Nothing was changed.`
        : `${verb}: ${changed} of ${matched} deliveries (act ${act} of the audit).`,
      ...(sample.length > 0 ? ['', ...(dryRun ? [] : ['Now:']), deliveryTable(sample)] : []),
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
      row.state === 'waiting' && row.dueAt > Date.now() ? dueText(row) : explain(row),
    ]),
    'No such deliveries.',
  )
}

/** One that was never tried waits for its time, such as the end of the day. */
function dueText({ dueAt, tries, why, open }: DeliveryRow): string {
  if (open && why === null) return `a try was cut off, and may have got through; goes on ${when(dueAt)}`
  return `${tries > 0 ? 'again' : 'not before'} ${when(dueAt)}${why === null ? '' : `: ${why}`}`
}

function explain({ why, settledAt, state, yields, code }: DeliveryRow): string {
  if (code === DRY_RUN && settledAt !== null) return `dry run: nothing was sent, ${ago(settledAt)} ago`
  if (why) return why
  if (state === 'waiting' && yields) return 'after the others of its lane'
  return settledAt === null ? '' : `${ago(settledAt)} ago`
}
