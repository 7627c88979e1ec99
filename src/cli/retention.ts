import { Command } from 'commander'
import type { FoundThings } from '../admin/find.ts'
import type { RetentionPlan } from '../admin/retention.ts'
import { RETAIN_REASONS, type RetainReason } from '../domain/retention.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Held, LegalHold } from '../storage/rows.ts'
import { showRun, waitForJob } from './jobs.ts'
import { type Client, createClient } from './shared/client.ts'
import { EXIT } from './shared/exit.ts'
import { changing, limitOption, moreLines, numberOf } from './shared/options.ts'
import { type Columns, show, tableOf, when } from './shared/output.ts'
import { asks, group, joined } from './shared/question.ts'

const HOLDS: Columns<LegalHold> = { event: 'event', since: ({ at }) => when(at), by: 'by', why: 'reason' }

const GOES: Columns<RetentionPlan['goes'][number]> = {
  month: 'month',
  kind: 'kind',
  events: 'events',
  deliveries: 'deliveries',
  payloads: 'payloads',
  bytes: ({ bytes }) => inMegabytes(bytes),
}

const plan = asks<RetentionPlan>('plan', 'GET /admin/retention/plan', {
  about: 'What the next run would prune and keep, and how long the disk lasts',
  text: planText,
})

const run = new Command('run')
  .description('Prune now; --dry-run shows the plan. Exit code 1 if it fails')
  .option('--dry-run', 'show the plan, change nothing')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action(async ({ json, dryRun, reason }) => {
    const client = await createClient(process.env)
    if (!dryRun) return showRun(json, await waitForJob(client, 'retention', reason))
    const planned = await client.get<RetentionPlan>('/admin/retention/plan')
    show(json, planned, () => joined(planText(planned)))
  })

const holds = asks<{ holds: LegalHold[] }>('holds', 'GET /admin/retention/holds', {
  about: 'Events under a legal hold',
  with: (command) => command.option('--after <id>', 'go on behind this one', numberOf).addOption(limitOption()),
  text: ({ holds: rows }, { limit }) => [
    tableOf(HOLDS, rows, 'Nothing is under a legal hold.'),
    ...moreLines(rows, limit, `--after ${rows.at(-1)?.event} goes on`),
  ],
})

export const retention = group('retention', 'What is kept how long, and what must not go', plan, run)
  .addCommand(holding('hold', 'Put events under a legal hold, so that they are not pruned'))
  .addCommand(holding('unhold', 'End a legal hold'))
  .addCommand(holds)

function holding(verb: 'hold' | 'unhold', about: string): Command {
  const numbers = (id: string, before: number[] = []) => [...before, numberOf(id)]
  return changing(new Command(verb))
    .description(about)
    .argument('[event...]', 'ids of events; "events list" shows them', numbers)
    .option('--find <words>', 'all events that "find" finds of this')
    .action(async (ids: number[] | undefined, { find, dryRun = false, reason = null, json }) => {
      const client = await createClient(process.env)
      const events = [...(ids ?? []), ...(find === undefined ? [] : await foundBy(client, find))]
      if (events.length === 0) throw new UserError(`Say which events to ${verb}: their ids, or --find <words>.`)
      const done = await client.post<Held>(`/admin/retention/${verb}`, { events, dryRun, reason })
      const as = verb === 'hold' ? 'Under a legal hold already' : 'Not under a legal hold'
      const left = done.left.length > 0 ? `${as}: ${done.left.join(', ')}.` : null
      // Found events may be held already; an event named by id should change.
      const isLeft = find === undefined && done.changed === 0
      const says = dryRun
        ? `${verb} would touch ${pluralize(done.changed, 'event')}. Nothing was changed.`
        : `${verb}: ${pluralize(done.changed, 'event')} (audit entry ${done.act}).`
      show(json, { ...done, ...(isLeft && { problems: [{ says: left }] }) }, () => joined([says, left]))
      if (isLeft) process.exitCode = EXIT.input
    })
}

/** Throws a UserError if "find" cannot name all of them, or finds none. */
async function foundBy(client: Client, words: string): Promise<number[]> {
  const { events, more, reach } = await client.get<FoundThings>('/admin/find', { q: words })
  if (reach.behind > 0)
    throw new UserError(
      `"find" does not know ${pluralize(reach.behind, 'event')} yet, and one of them may say ${words}. Try again when "tillbridge find" does not say so any more, or name the events.`,
    )
  // Not events that merely have that id.
  const saying = events.filter(({ by }) => by !== 'event' && by !== 'delivery')
  if (saying.length === 0)
    throw new UserError(`No event says ${words}. An event that is meant by its number is named without --find.`)
  if (more)
    throw new UserError(
      `"find" shows only the first ${events.length} events of ${words}: look for something that fewer say, or name the events.`,
    )
  return saying.map(({ id }) => id)
}

function planText({ off, goes, stays, partly, size, free, daysLeft, archive }: RetentionPlan) {
  const total = goes.reduce((sum, { bytes }) => sum + bytes, 0)
  const lasts = daysLeft === null ? '' : ` As the store has grown of late, it lasts ${pluralize(daysLeft, 'day')}.`
  return [
    off && 'retention.enabled is false: nothing is pruned. With the ages of the config, this would go:',
    tableOf(GOES, goes, 'Nothing is old enough to be pruned.'),
    goes.length > 0 && `Payloads of ${inMegabytes(total)} go, as they came${partly ? ', at least' : ''}.`,
    ...Object.entries(stays).map(
      ([why, count]) =>
        `${pluralize(count, 'event')} of that age ${count === 1 ? 'stays' : 'stay'}: ${RETAIN_REASONS[why as RetainReason]}.`,
    ),
    `The storage takes ${inMegabytes(size.bytes)}, ${inMegabytes(size.reusable)} of it free for reuse.`,
    archive && archiveText(archive),
    free !== null && `The disk has ${inMegabytes(free)} left.${lasts}`,
  ]
}

function archiveText(archive: NonNullable<RetentionPlan['archive']>): string {
  if ('problem' in archive) return `Nobody can tell what of the archive has expired. ${archive.problem}`
  const { files, bytes, next } = archive
  const gone = `Of the archive, ${files === 0 ? 'no file has' : `${pluralize(files, 'file')} (${inMegabytes(bytes)}) ${files === 1 ? 'has' : 'have'}`} expired`
  return next === null ? `${gone}.` : `${gone}; the next does on ${next}.`
}

function inMegabytes(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`
}
