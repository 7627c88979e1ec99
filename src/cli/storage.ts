import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { Command } from 'commander'
import type { FoundThings } from '../admin/find.ts'
import type { RetentionPlan } from '../admin/retention.ts'
import { readConfig } from '../app/read-config.ts'
import { openArchive } from '../archive/archive.ts'
import { type ArchivedEvent, archivedBody, createOnce, readArchived } from '../archive/archived-events.ts'
import { erasuresIn } from '../archive/erasures.ts'
import { type ArchivedFile, readManifest } from '../archive/manifest.ts'
import { RETAIN_REASONS, type RetainReason } from '../domain/retention.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { listenForInterrupt } from '../lib/interrupt.ts'
import type { CopyReport } from '../storage/copy/copy.ts'
import type { LegalHold, LegalHoldResult } from '../storage/rows.ts'
import { showRun, waitForJob } from './jobs.ts'
import { type Client, createClient } from './shared/client.ts'
import { asks, changing, group, joined, limitOption, moreLines, numberOf } from './shared/command.ts'
import { EXIT, ExitError } from './shared/exit.ts'
import { type Columns, createNewFile, createProgress, grouped, show, showLine, tableOf, when } from './shared/output.ts'

export const backup = new Command('backup')
  .description('Copy the store to a file, also while the hub works')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (file: string, { json }) => {
    const { config } = await readConfig(process.env)
    const { backUp } = await import('../storage/backup.ts')
    using interrupt = listenForInterrupt()
    await using copy = await createNewFile(file)
    const progress = createProgress(process.stderr)
    const { signal } = interrupt
    try {
      await backUp(config.store.url, file, {
        signal,
        progress: (done, of) => progress.show({ doing: 'copying', done, of }),
      })
    } catch (error) {
      progress.clear()
      if (signal.aborted) throw new ExitError('Stopped. Nothing of the copy is left.', interrupt.exitCode)
      throw error
    }
    copy.keep()
    progress.clear()
    const { size } = statSync(file)
    show(json, { file, bytes: size }, () => `${file} holds everything up to now (${Math.ceil(size / 1024)} KB).`)
  })

const restoreBackup = new Command('restore')
  .description('Replace the store of a stopped hub by a backup; the old file stays beside it')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (from: string, { json }: { json?: true }) => {
    const { config } = await readConfig(process.env)
    const { restoreStorage } = await import('../storage/backup.ts')
    const restored = restoreStorage(config.store.url, from, Date.now())
    show(json, restored, () => restoredText(from, restored))
  })

function restoredText(from: string, { file, rejected }: { file: string; rejected: readonly string[] }): string {
  return [
    `${file} is what ${from} holds.`,
    ...(rejected.length === 0
      ? ['Nothing was there before.']
      : ['What was there lies here now:', ...rejected.map((one) => `  ${one}`)]),
    '',
    'What to do next:',
    '1. Start the hub, and look at "tillbridge status". What was sent after the backup may be sent once more.',
    '2. For each person who was erased since: "tillbridge people erase --proof <file> --reason …".',
    '3. "tillbridge jobs run resend-failed" fetches what came after the backup, as far as the platform\'s log reaches back.',
    '4. "tillbridge complete" shows what is still missing of the days between.',
    ...(rejected.length === 0 ? [] : ["5. When all is well, delete the files above: they hold people's names."]),
  ].join('\n')
}

const copyToPostgres = new Command('copy')
  .description('Copy the SQLite store of a stopped hub into an empty PostgreSQL database, all or nothing')
  .requiredOption('--from <url>', 'the store of the hub until now: file:./data/tillbridge.db')
  .requiredOption(
    '--to <url>',
    'where it is to be: postgres://user@host:5432/database, with ?schema=… if not "tillbridge"; the password is better in PGPASSWORD, where others do not see it',
  )
  .option('--json', 'print JSON')
  .action(async ({ from, to, json }: { from: string; to: string; json?: true }) => {
    const { CopyError, copyStorage } = await import('../storage/copy/copy.ts')
    const progress = createProgress(process.stderr)
    try {
      const report = await copyStorage({
        from,
        to,
        progress: progress.show,
      })
      progress.clear()
      show(json, report, () => reportText(report))
    } catch (error) {
      progress.clear()
      throw error instanceof CopyError ? new ExitError(error.message, EXIT.problem) : error
    }
  })

export const store = group('store', 'Where everything is kept', copyToPostgres, restoreBackup)

function reportText({ file, server, schema, tables }: CopyReport): string {
  const rows = tables.reduce((sum, { postgres }) => sum + postgres, 0)
  return [
    tableOf(
      { table: 'table', 'in the file': 'file', 'in PostgreSQL': 'postgres', 'by hash': () => 'equal' },
      tables,
      '',
    ),
    '',
    `All ${grouped(rows)} rows are in the schema ${schema} at ${server}, and the same as in the file. What to do next:`,
    '1. Set store.url to that address, in the config of each hub.',
    '2. Start the hubs. They go on where the last one ended.',
    `3. Keep ${file} as it is, and start no hub on it: it would do everything once more that is waiting.`,
  ].join('\n')
}

const HOLDS: Columns<LegalHold> = { event: 'event', since: ({ at }) => when(at), by: 'by', why: 'reason' }

const GOES: Columns<RetentionPlan['goes'][number]> = {
  month: 'month',
  kind: 'kind',
  events: 'events',
  deliveries: 'deliveries',
  payloads: 'payloads',
  bytes: ({ bytes }) => inMegabytes(bytes),
}

const retentionPlan = asks<RetentionPlan>('plan', 'GET /admin/retention/plan', {
  about: 'What the next run would prune and keep, and how long the disk lasts',
  text: planText,
})

const prune = new Command('run')
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

const legalHolds = asks<{ holds: LegalHold[] }>('holds', 'GET /admin/retention/holds', {
  about: 'Events under a legal hold',
  with: (command) => command.option('--after <id>', 'go on behind this one', numberOf).addOption(limitOption()),
  text: ({ holds: rows }, { limit }) => [
    tableOf(HOLDS, rows, 'Nothing is under a legal hold.'),
    ...moreLines(rows, limit, `--after ${rows.at(-1)?.event} goes on`),
  ],
})

export const retention = group('retention', 'What is kept how long, and what must not go', retentionPlan, prune)
  .addCommand(holding('hold', 'Put events under a legal hold, so that they are not pruned'))
  .addCommand(holding('unhold', 'End a legal hold'))
  .addCommand(legalHolds)

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
      const done = await client.post<LegalHoldResult>(`/admin/retention/${verb}`, { events, dryRun, reason })
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
  if ('problem' in archive) return `What of the archive has expired is not known. ${archive.problem}`
  const { files, bytes, next } = archive
  const gone = `Of the archive, ${files === 0 ? 'no file has' : `${pluralize(files, 'file')} (${inMegabytes(bytes)}) ${files === 1 ? 'has' : 'have'}`} expired`
  return next === null ? `${gone}.` : `${gone}; the next does on ${next}.`
}

function inMegabytes(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`
}

interface FoundEvent {
  event: number
  kind: string
  receivedAt: number
  identity: string | null
  file: string
}

const ARCHIVED: Columns<FoundEvent> = {
  event: 'event',
  kind: 'kind',
  received: ({ receivedAt }) => when(receivedAt),
  identity: 'identity',
  file: 'file',
}

const searchArchive = new Command('search')
  .description('Archived events that contain this')
  .argument('<words...>', 'all of them, in any case')
  .option('--kind <kind>', 'of this kind')
  .addOption(limitOption('so many'))
  .option('--json', 'print JSON')
  .action(async (words: string[], { kind, limit, json }: { kind?: string; limit: number; json?: true }) => {
    const found: FoundEvent[] = []
    await readArchive(async ({ eventsOf, withoutErased }) => {
      for await (const [event, { file }] of eventsOf((one) => kind === undefined || one.kind === kind)) {
        if (!contains(event, words)) continue
        const { id, kind: ofKind, receivedAt, identity } = await withoutErased(event)
        found.push({ event: id, kind: ofKind, receivedAt, identity, file })
        if (found.length >= limit) break
      }
    })
    const more = moreLines(found, limit, 'a higher --limit shows it')
    show(json, { found }, () => [tableOf(ARCHIVED, found, 'The archive has none that says so.'), ...more].join('\n'))
  })

const printArchived = new Command('restore')
  .description('Print an archived event, or all of a file, as NDJSON without erased persons; the store does not change')
  .argument('<event or file>', 'an id, or a file as "archive search" names it')
  .option('--json', 'print JSON; it does so anyway')
  .action(async (which: string) => {
    const id = /^\d+$/.test(which) ? Number(which) : null
    let count = 0
    const isIn = ({ file, first, last }: ArchivedFile) => (id === null ? file === which : first <= id && id <= last)
    await readArchive(async ({ eventsOf, withoutErased }) => {
      for await (const [event] of eventsOf(isIn)) {
        if (id !== null && event.id !== id) continue
        count += 1
        const left = await withoutErased(event)
        showLine({ ...left, ...shownBody(left) })
      }
    })
    if (count === 0) throw new UserError(`The archive has no ${id === null ? 'file' : 'event'} ${which}.`)
  })

export const archive = group(
  'archive',
  'Events that were kept elsewhere before they went',
  searchArchive,
  printArchived,
)

interface ArchiveReading {
  eventsOf(wanted: (file: ArchivedFile) => boolean): AsyncGenerator<[ArchivedEvent, ArchivedFile]>
  /** Only the hub's secret identifies the erased. */
  withoutErased(event: ArchivedEvent): Promise<ArchivedEvent>
}

/** Over one connection. Throws a UserError. */
async function readArchive(work: (reading: ArchiveReading) => Promise<void>): Promise<void> {
  const { config } = await readConfig(process.env)
  if (!config.retention.archive) throw new UserError('The config names no archive: retention.archive.')
  await using opened = openArchive(config.retention.archive)
  const { signal } = new AbortController()
  await opened.use(signal, async (files) => {
    const all = await readManifest(files)
    if (all.length === 0)
      throw new UserError(
        `There is no archive in ${opened.where} yet (retention.archive). If there should be one, see whether its disk or share is mounted.`,
      )
    const client = (await erasuresIn(files)).length > 0 ? await createClient(process.env) : null
    await work({
      async *eventsOf(wanted) {
        const isFirst = createOnce()
        for (const file of all.filter(wanted))
          for (const event of await readArchived(files, file)) if (isFirst(file, event.id)) yield [event, file]
      },
      async withoutErased(event) {
        if (client === null) return event
        const { events } = await client.post<{ events: ArchivedEvent[] }>('/admin/people/archived', { events: [event] })
        return events[0] ?? event
      },
    })
  })
}

function shownBody(event: ArchivedEvent) {
  const body = archivedBody(event)
  if (body === null) return { body: null }
  return isUtf8(body) ? { body: body.toString('utf8') } : { body: null, bodyBase64: body.toString('base64') }
}

function contains(event: ArchivedEvent, words: readonly string[]): boolean {
  const { identity, transportKey } = event
  const text = [archivedBody(event)?.toString('utf8'), identity, transportKey].join('\n').toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}
