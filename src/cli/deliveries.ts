import { Command } from 'commander'
import type { DeliveryList, ListedDelivery, Moved, Resent, SentAgain } from '../admin/deliveries.ts'
import { UNSETTLED } from '../domain/queue/delivery.ts'
import { DRY_RUN } from '../domain/queue/outcome.ts'
import { pluralize } from '../domain/values/text.ts'
import type { BookedAgain } from '../ingest/book-again.ts'
import type { AuditEntry, DeliveryDetail, DeliveryRow } from '../storage/rows.ts'
import { createClient } from './shared/client.ts'
import {
  asks,
  changeAll,
  changedText,
  changesOf,
  changing,
  group,
  idArgument,
  inParts,
  numberOf,
  paging,
  selectDeliveries,
} from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { ago, type Columns, oneLine, show, table, tableOf, when } from './shared/output.ts'

const ATTEMPTS: Columns<DeliveryDetail['attempts'][number]> = {
  attempt: ({ at }) => when(at),
  took: ({ ms }) => `${ms} ms`,
  outcome: 'outcome',
  code: 'code',
  note: 'note',
}

const DEEDS: Columns<AuditEntry & { delivery?: number | null }> = {
  act: 'act',
  when: ({ at }) => when(at),
  who: 'by',
  did: 'action',
  why: 'reason',
  '': ({ delivery, changed }) =>
    [delivery && `delivery ${delivery}`, changed > 1 && `one of ${changed}`].filter(Boolean).join(', '),
}

const deliveryList = asks<DeliveryList>('list', 'GET /admin/deliveries', {
  about: 'Deliveries, newest first',
  with: (command) =>
    paging(selectDeliveries(command)).option(
      '--reveal',
      'show whom messages go to in full; the audit has that you looked',
    ),
  text: ({ deliveries: rows, before, hint }) => [
    rows.length === 0 && hint !== null ? hint : deliveryTable(rows),
    before !== null && `There are more, or may be: --before ${before} goes on.`,
  ],
})

const showDelivery = asks<DeliveryDetail & { recipient: string | null }>('show', 'GET /admin/deliveries/:id', {
  about: 'One delivery: its attempts, and what operators did',
  with: (command) =>
    command
      .addArgument(idArgument('<id>', 'deliveries list'))
      .option('--reveal', 'show whom a message went to in full; the audit has that you looked'),
  text: (delivery) => [
    deliveryTable([{ ...delivery, recipient: null }]),
    delivery.recipient !== null && `To: ${oneLine(delivery.recipient)}`,
    '',
    tableOf(ATTEMPTS, delivery.attempts, 'Not tried yet.'),
    '',
    deedTable(delivery.audit, 'No operator has changed it.'),
  ],
})

const resend = asks<Resent>('resend', 'POST /admin/deliveries/:id/resend', {
  about: 'Send again what a destination acknowledged and has lost, as a gap says',
  with: (command) =>
    command
      .addArgument(idArgument('<id>', 'deliveries list'))
      .option('--reason <text>', 'why, for the record')
      .option('--dry-run', 'say whether it can be given, give nothing'),
  text: ({ delivery, again, act }) =>
    delivery === null
      ? `What delivery ${again} gave can be given once more. Nothing was sent.`
      : `What delivery ${again} gave goes to ${delivery.destination} once more as delivery ${delivery.id} (audit entry ${act}). The next run of reconcile-destinations closes the gap.`,
})

export const sendAgain = asks<SentAgain>('send-again', 'POST /admin/deliveries/:id/send-again', {
  about: 'Send a receipt or message to its customer again, or to another address',
  with: (command) =>
    command
      .argument('<delivery>', 'the one that sent it, as "find" and "order" show it', numberOf)
      .option('--to <address>', 'an e-mail address, or a phone number with its country, in place of the first one')
      .option('--reason <text>', 'why, for the record')
      .option('--dry-run', 'say what would be sent to whom, send nothing'),
  text: ({ delivery, again, to }) => {
    const whom = to ?? 'the recipient of the order'
    return delivery === null
      ? `What delivery ${again} sent would go to ${whom}. Nothing was sent.`
      : [`What delivery ${again} sent goes to ${whom} once more:`, '', deliveryTable([delivery])]
  },
})

const retry = verb(
  'retry',
  "Try again: one by its id, or all that a filter selects, in order per entity, behind today's work",
).option('--again', 'also where a first effect is uncertain, at the price of a second one')
const skip = verb('skip', 'Give deliveries up')
const release = verb(
  'release',
  'Send deliveries that are held for what they say, such as a settlement that does not balance',
)

const move = changing(new Command('move'))
  .description('Move pending deliveries to another destination')
  .requiredOption('--from <name>', 'a destination, in config or not any more')
  .requiredOption('--to <name>', 'a destination of the config')
  .option('--kind <kind>', 'of events of this kind')
  .option('--flow <flow>', 'of this flow')
  .action(async ({ json, dryRun = false, reason = null, ...which }) => {
    const moved = await changeAll<DeliveryRow, Moved>('/admin/deliveries/move', { ...which, dryRun, reason })
    const { from, to } = which
    const stay = (count: number) => `${pluralize(count, 'delivery')} ${count === 1 ? 'stays' : 'stay'} with ${from}.`
    // The other destination may have the same delivery already.
    const owned = dryRun ? 0 : (moved.matched ?? moved.changed) - moved.changed
    const notes = moved.left.map(({ flow, deliveries: count }) => `${to} cannot execute ${flow}: ${stay(count)}`)
    if (owned > 0)
      notes.push(
        `${to} has the same of its own already: ${stay(owned)} To do: tillbridge deliveries list --destination ${from} shows what is left; deliveries skip gives up what ${to} has.`,
      )
    show(json, moved, () =>
      changedText(moved, { verb: 'move', list: 'deliveries', dryRun, rows: deliveryTable, notes }),
    )
    if (notes.length > 0) process.exitCode = moved.matched === 0 ? EXIT.input : EXIT.problem
  })

export const deliveries = group(
  'deliveries',
  'What is to be sent where, and what became of it',
  deliveryList,
  showDelivery,
  retry,
  skip,
  release,
  move,
  resend,
)

function verb(name: string, about: string): Command {
  return changesOf<DeliveryRow>(name, {
    list: 'deliveries',
    about,
    select: selectDeliveries,
    rows: deliveryTable,
    more: ({ again = false }) => (name === 'retry' ? { again } : {}),
  })
}

/** With recipients where they are known. */
export function deliveryTable(rows: (DeliveryRow & Partial<Pick<ListedDelivery, 'recipient'>>)[]): string {
  const columns: Columns<(typeof rows)[number]> = {
    delivery: 'id',
    event: 'event',
    kind: 'kind',
    flow: ({ flow, part }) => (part ? `${flow}/${part}` : flow),
    destination: 'destination',
    state: 'state',
    // Tries restart with an operator's retry.
    failures: ({ state, tries }) => (UNSETTLED.has(state) && state !== 'dead' ? tries : null),
    about: 'entity',
    ...(rows.some(({ recipient }) => recipient != null) && { to: ({ recipient }) => recipient }),
    '': (row) => (row.state === 'waiting' && row.dueAt > Date.now() ? dueText(row) : explain(row)),
  }
  return tableOf(columns, rows, 'No such deliveries.')
}

function dueText({ dueAt, tries, why, open }: DeliveryRow): string {
  if (open && why === null) return `a try was cut off, and may have got through; goes on ${when(dueAt)}`
  return `${tries > 0 ? 'again' : 'not before'} ${when(dueAt)}${why === null ? '' : `: ${why}`}`
}

function explain({ why, settledAt, state, yields, code }: DeliveryRow): string {
  if (code === DRY_RUN && settledAt !== null) return `dry run: nothing was sent, ${ago(settledAt)} ago`
  if (why) return why
  if (state === 'waiting' && yields) return 'after the others of its queue'
  return settledAt === null ? '' : `${ago(settledAt)} ago`
}

export function deedTable(deeds: readonly (AuditEntry & { delivery?: number | null })[], none: string): string {
  return tableOf(DEEDS, deeds, none)
}

const filesAgain = changing(new Command('again'))
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

export const files = group('files', 'Files that are written for back offices', filesAgain)

function againText({ records, days, act, ...counts }: BookedAgain, dryRun: boolean, goOn?: number): string {
  const leftOut = {
    before: `that act ${goOn} has written once more before`,
    left: 'whose payload is not kept any more',
    undated: 'that came more than 14 days later, whose day is not known: their payload is not kept any more',
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
