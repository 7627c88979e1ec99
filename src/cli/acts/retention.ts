import { Command } from 'commander'
import type { FoundThings } from '../../admin/find/find.ts'
import type { RetentionPlan } from '../../admin/retention/plan.ts'
import { type JobStatus, problemOfRun } from '../../domain/health/job-status.ts'
import { UserError } from '../../domain/values/errors.ts'
import { counted } from '../../domain/values/text.ts'
import type { Held, LegalHold } from '../../store/retention/holding.ts'
import { type Client, createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { changing, moreLines } from '../shared/options.ts'
import { complain, show } from '../shared/print.ts'
import { asks } from '../shared/question.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { limitOption, numberOf } from '../shared/values.ts'
import { waitForJob } from './jobs.ts'
import { showDone } from './named.ts'
import { planText } from './retention-text.ts'

const plan = asks<RetentionPlan>(
  new Command('plan').description(
    'What the next run would prune, by kind and month, what stays and why, and how long the disk lasts',
  ),
  { ask: 'GET /admin/retention/plan', text: planText },
)

const run = new Command('run')
  .description('Prune now what is older than retention keeps it; --dry-run shows the plan. Exit code 1 if it fails')
  .option('--dry-run', 'show the plan, change nothing')
  .option('--reason <text>', 'why, for the record')
  .option('--json', 'print JSON')
  .action(async ({ json, dryRun, reason }) => {
    const client = await createClient(process.env)
    if (dryRun) {
      const planned = await client.get<RetentionPlan>('/admin/retention/plan')
      return show(json, planned, () => planText(planned))
    }
    const job: JobStatus = await waitForJob(client, 'retention', reason)
    const problem = problemOfRun(job)
    if (problem === null) return show(json, job, () => `retention: ${job.note ?? ''}`)
    if (json) show(json, job, () => '')
    else complain(`retention failed: ${problem}`)
    process.exitCode = EXIT.problem
  })

const hold = holding('hold', 'Put events under a legal hold: nothing of them is pruned; --reason says why')
const unhold = holding('unhold', 'Let events go that are under a legal hold; --reason says why')

const HOLDS: Columns<LegalHold> = { event: 'event', since: ({ at }) => when(at), by: 'by', why: 'reason' }

const holds = asks<{ holds: LegalHold[] }>(
  new Command('holds')
    .description('Events under a legal hold, by their ids')
    .option('--after <id>', 'go on behind this one', numberOf)
    .addOption(limitOption()),
  {
    ask: 'GET /admin/retention/holds',
    text: ({ holds: rows }, { limit }) => {
      const more = moreLines(rows, limit, `--after ${rows.at(-1)?.event} goes on`)
      return [tableOf(HOLDS, rows, 'Nothing is under a legal hold.'), ...more].join('\n')
    },
  },
)

export const retention = new Command('retention')
  .description('What is kept how long, and what must not go')
  .addCommand(plan)
  .addCommand(run)
  .addCommand(hold)
  .addCommand(unhold)
  .addCommand(holds)

function holding(verb: 'hold' | 'unhold', about: string): Command {
  return changing(new Command(verb))
    .description(about)
    .argument('[event...]', 'ids of events; "events list" shows them', (id: string, before: number[] = []) => [
      ...before,
      numberOf(id),
    ])
    .option('--find <words>', 'all events that "find" finds of this')
    .action(async (ids: number[] | undefined, { find, dryRun = false, reason = null, json }) => {
      const client = await createClient(process.env)
      const events = [...(ids ?? []), ...(find === undefined ? [] : await foundBy(client, find))]
      if (events.length === 0) throw new UserError(`Say which events to ${verb}: their ids, or --find <words>.`)
      const done = await client.post<Held>(`/admin/retention/${verb}`, { events, dryRun, reason })
      const text = () =>
        dryRun
          ? `${verb} would touch ${counted(done.changed, 'event')}. Nothing was changed.`
          : `${verb}: ${counted(done.changed, 'event')} (audit entry ${done.act}).`
      const left = done.left.length === 0 ? [] : [leftText(verb, done.left)]
      // Events that were found may be held already, which is well; who names one expects that it changes.
      const isLeft = find === undefined && done.changed === 0
      showDone(json, done, () => [text(), ...(isLeft ? [] : left)].join('\n'), isLeft ? left.join('') : null)
    })
}

function leftText(verb: 'hold' | 'unhold', left: readonly number[]): string {
  return `${verb === 'hold' ? 'Under a legal hold already' : 'Not under a legal hold'}: ${left.join(', ')}.`
}

/**
 * The events that say these words, all of them: what "find" cannot know yet, or does not show, would not be held. That it lists the
 * event, or the delivery, which has the number 77001 helps who looks, but that event does not say 77001. Throws a UserError.
 */
async function foundBy(client: Client, words: string): Promise<number[]> {
  const { events, more, reach } = await client.get<FoundThings>('/admin/find', { q: words })
  if (reach.behind > 0)
    throw new UserError(
      `"find" does not know ${counted(reach.behind, 'event')} yet, and one of them may say ${words}. Try again when "tillbridge find" does not say so any more, or name the events.`,
    )
  const saying = events.filter(({ by }) => by !== 'event' && by !== 'delivery')
  if (saying.length === 0 && events.length > 0)
    throw new UserError(
      `No event says ${words}. Where event ${events.map(({ id }) => id).join(' or ')} is meant, name it by its id, without --find.`,
    )
  if (saying.length === 0) throw new UserError(`"find" finds no event of ${words}.`)
  if (more)
    throw new UserError(
      `"find" shows only the first ${events.length} events of ${words}: look for something that fewer say, or name the events.`,
    )
  return saying.map(({ id }) => id)
}
