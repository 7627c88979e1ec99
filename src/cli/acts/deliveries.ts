import { Command } from 'commander'
import type { SentAgain } from '../../admin/deliveries/messages.ts'
import type { Moved } from '../../admin/deliveries/move.ts'
import type { ListedDelivery } from '../../admin/deliveries/recipients.ts'
import type { Resent } from '../../admin/deliveries/resend.ts'
import type { DeliveryList } from '../../admin/lists.ts'
import { UNSETTLED } from '../../domain/queue/delivery.ts'
import { DRY_RUN } from '../../domain/queue/outcome.ts'
import { counted } from '../../domain/values/text.ts'
import type { Changed, DeliveryDetail, DeliveryRow } from '../../store/screens.ts'
import { deedTable } from '../look/deed-table.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { changing, filterOf, paging } from '../shared/options.ts'
import { show } from '../shared/print.ts'
import { asks } from '../shared/question.ts'
import { selectDeliveries } from '../shared/selecting.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { ago, when } from '../shared/times.ts'
import { idArgument, numberOf } from '../shared/values.ts'
import { changeAll } from './change-all.ts'
import { cameToNothing, hintLines, leftAlone, showDone } from './named.ts'

const list = asks<DeliveryList>(
  paging(selectDeliveries(new Command('list')))
    .description('Deliveries, newest first')
    .option('--reveal', 'show whom messages go to in full; the audit has that you looked'),
  { ask: 'GET /admin/deliveries', text: listText },
)

function listText({ deliveries: rows, before, hint }: DeliveryList): string {
  const more = before === null ? [] : [`There are more, or may be: --before ${before} goes on.`]
  return [rows.length === 0 && hint !== null ? hint : deliveryTable(rows), ...more].join('\n')
}

const ATTEMPTS: Columns<DeliveryDetail['attempts'][number]> = {
  attempt: ({ at }) => when(at),
  took: ({ ms }) => `${ms} ms`,
  outcome: 'outcome',
  code: 'code',
  note: 'note',
}

const showOne = asks<DeliveryDetail & { recipient: string | null }>(
  new Command('show')
    .description('One delivery: attempts, and what people did')
    .addArgument(idArgument('<id>', 'deliveries list'))
    .option('--reveal', 'show whom a message went to in full; the audit has that you looked'),
  {
    ask: 'GET /admin/deliveries/:id',
    text: (delivery) =>
      [
        deliveryTable([{ ...delivery, recipient: null }]),
        ...(delivery.recipient === null ? [] : [`To: ${oneLine(delivery.recipient)}`]),
        '',
        tableOf(ATTEMPTS, delivery.attempts, 'Not tried yet.'),
        '',
        deedTable(delivery.audit, 'Nobody has touched it.'),
      ].join('\n'),
  },
)

const resend = asks<Resent>(
  new Command('resend')
    .description('Give a destination once more what it has acknowledged and has no more, as a gap says')
    .addArgument(idArgument('<id>', 'deliveries list'))
    .option('--reason <text>', 'why, for the record')
    .option('--dry-run', 'say whether it can be given, give nothing'),
  {
    ask: 'POST /admin/deliveries/:id/resend',
    text: ({ delivery, again, act }) =>
      delivery === null
        ? `What delivery ${again} gave can be given once more. Nothing was sent.`
        : `What delivery ${again} gave goes to ${delivery.destination} once more as delivery ${delivery.id} (audit entry ${act}). The next run of compare-destinations closes the gap.`,
  },
)

export const sendAgain = asks<SentAgain>(
  new Command('send-again')
    .description('Send a message (a receipt, an e-mail, an SMS) to its customer once more, or to another address')
    .argument('<delivery>', 'the one that sent it, as "find" and "order" show it', numberOf)
    .option('--to <address>', 'an e-mail address, or a phone number with its country, in place of the first one')
    .option('--reason <text>', 'why, for the record')
    .option('--dry-run', 'say what would be sent to whom, send nothing'),
  { ask: 'POST /admin/deliveries/:id/send-again', text: sentText },
)

function sentText({ delivery, again, to }: SentAgain): string {
  const whom = to ?? 'whoever the order says'
  if (delivery === null) return `What delivery ${again} sent would go to ${whom}. Nothing was sent.`
  return [`What delivery ${again} sent goes to ${whom} once more:`, '', deliveryTable([delivery])].join('\n')
}

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
  .option('--kind <kind>', 'of events of this kind')
  .option('--flow <flow>', 'of this flow')
  .action(async ({ from, to, kind, flow, dryRun = false, reason = null, json }) => {
    const asked = { from, to, kind, flow, dryRun, reason }
    const moved = await changeAll<DeliveryRow, Moved>('/admin/deliveries/move', asked)
    const { left } = moved
    const owned = dryRun ? 0 : (moved.matched ?? moved.changed) - moved.changed
    const notes = [...leftText(left, from, to), ...(owned > 0 ? [ownedText(owned, from, to)] : [])]
    show(json, moved, () => changedText(moved, 'move', dryRun, notes))
    if (left.length > 0 || owned > 0) process.exitCode = moved.matched === 0 ? EXIT.input : EXIT.problem
  })

function leftText(left: Moved['left'], from: string, to: string): string[] {
  return left.map(
    ({ flow, deliveries: count }) =>
      `${to} cannot carry out ${flow}: ${counted(count, 'delivery')} ${count === 1 ? 'stays' : 'stay'} with ${from}.`,
  )
}

/** One event is owed once to a destination: where the other one had it of its own, there is nothing to move. */
function ownedText(count: number, from: string, to: string): string {
  return `${to} is owed the same of its own already: ${counted(count, 'delivery')} ${count === 1 ? 'stays' : 'stay'} with ${from}. To do: tillbridge deliveries list --destination ${from} shows what is left; deliveries skip gives up what ${to} has.`
}

export const deliveries = new Command('deliveries')
  .description('What is to be sent where, and what became of it')
  .addCommand(list)
  .addCommand(showOne)
  .addCommand(retry)
  .addCommand(skip)
  .addCommand(release)
  .addCommand(move)
  .addCommand(resend)

async function change(
  verb: 'retry' | 'skip' | 'release',
  id: number | undefined,
  options: { dryRun?: boolean; reason?: string; json?: boolean },
  more: object,
): Promise<void> {
  const { dryRun = false, reason = null, json } = options
  const filter = { ...filterOf(options), ...(id !== undefined && { id }) }
  const result = await changeAll<DeliveryRow>(`/admin/deliveries/${verb}`, { filter, dryRun, reason, ...more })
  const isLeft = id !== undefined && cameToNothing(result, dryRun)
  const why = ({ why: said }: DeliveryRow) =>
    `${verb} changes nothing of that${said === null ? '' : ` (${oneLine(said)})`}.`
  const left = isLeft ? await leftAlone('deliveries', { ...filter, id }, why) : null
  showDone(json, result, () => changedText(result, verb, dryRun, hintLines(result)), left)
}

function changedText(result: Changed, verb: string, dryRun: boolean, notes: readonly string[] = []): string {
  const { changed, sample, act } = result
  const matched = result.matched ?? changed
  return [
    dryRun
      ? `${verb} would touch ${counted(matched, 'delivery')}. Nothing was changed.`
      : `${verb}: ${matched === 0 ? 'no delivery is one that it changes' : `${changed} of ${counted(matched, 'delivery')}`} (audit entry ${act}).`,
    ...notes,
    ...(sample.length > 0 ? ['', ...(dryRun ? [] : ['Now:']), deliveryTable(sample)] : []),
    ...(matched > sample.length ? [`… and ${matched - sample.length} more.`] : []),
  ].join('\n')
}

/** Deliveries as a table. Recipients stand in it where one is a message, and a list was asked that tells them. */
export function deliveryTable(rows: (DeliveryRow & Partial<Pick<ListedDelivery, 'recipient'>>)[]): string {
  const columns: Columns<(typeof rows)[number]> = {
    delivery: 'id',
    event: 'event',
    kind: 'kind',
    flow: ({ flow, part }) => (part ? `${flow}/${part}` : flow),
    destination: 'destination',
    state: 'state',
    failures: failuresOf,
    about: 'entity',
    ...(rows.some(({ recipient }) => recipient != null) && { to: ({ recipient }) => recipient }),
    '': (row) => (row.state === 'waiting' && row.dueAt > Date.now() ? dueText(row) : explain(row)),
  }
  return tableOf(columns, rows, 'No such deliveries.')
}

/** The failures of a delivery that is owed; they begin anew when a person has it tried again, and say nothing of one that has ended. */
function failuresOf({ state, tries }: DeliveryRow): number | null {
  return UNSETTLED.has(state) && state !== 'dead' ? tries : null
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
