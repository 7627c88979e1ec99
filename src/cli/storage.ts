import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { ErasedPerson } from '../admin/data-subjects.ts'
import type { FoundThings } from '../admin/find.ts'
import type { RetentionPlan } from '../admin/retention.ts'
import { readConfig } from '../app/read-config.ts'
import {
  type ArchivedEvent,
  type ArchivedFile,
  archivedBody,
  createOnce,
  erasuresIn,
  openArchive,
  readArchived,
  readManifest,
} from '../archive/archive.ts'
import { PLACES_TO_LOOK } from '../domain/privacy/personal-fields.ts'
import { RETAIN_REASONS, type RetainReason } from '../domain/retention.ts'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { listenForInterrupt } from '../lib/interrupt.ts'
import { shownBody } from '../lib/json.ts'
import type { Exported, FoundPerson } from '../privacy/report.ts'
import type { CopyReport } from '../storage/copy/copy.ts'
import type { LegalHold, LegalHoldResult } from '../storage/rows.ts'
import { showRun, waitForJob } from './jobs.ts'
import { type Client, createClient } from './shared/client.ts'
import { asks, changing, group, joined, limitOption, moreLines, numberOf, numbersOf } from './shared/command.ts'
import { awaited, EXIT, ExitError } from './shared/exit.ts'
import {
  type Columns,
  createNewFile,
  createProgress,
  grouped,
  type NewFile,
  oneLine,
  printError,
  show,
  showLine,
  table,
  tableOf,
  when,
} from './shared/output.ts'

export const backup = new Command('backup')
  .description('Copy the store to a file, also while the hub works')
  .argument('<file>')
  .option('--json', 'print JSON')
  .action(async (file: string, { json }) => {
    const { config } = await readConfig(process.env)
    const { backUp } = await import('../storage/backup.ts')
    using interrupt = listenForInterrupt()
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
    try {
      const report = await copyStorage(from, to)
      show(json, report, () => reportText(report))
    } catch (error) {
      throw error instanceof CopyError ? new ExitError(error.message, EXIT.problem) : error
    }
  })

export const store = group('store', 'Where everything is kept', copyToPostgres, restoreBackup)

function reportText({ file, server, schema, tables }: CopyReport): string {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0)
  return [
    tableOf({ table: 'table', rows: 'rows' }, tables, ''),
    '',
    `All ${grouped(total)} rows are in the schema ${schema} at ${server}, of each table as many as in the file. What to do next:`,
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
  return changing(new Command(verb))
    .description(about)
    .argument('[event...]', 'ids of events; "events list" shows them', numbersOf)
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
        showLine({ ...left, ...shownBody(archivedBody(left)) })
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

function contains(event: ArchivedEvent, words: readonly string[]): boolean {
  const { identity, transportKey } = event
  const text = [archivedBody(event)?.toString('utf8'), identity, transportKey].join('\n').toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

function naming(command: Command, who = '<who>'): Command {
  return command
    .argument(who, 'an e-mail address, a phone number, or a customer id')
    .option('--also <who...>', 'this is the same person, whatever is not followed by itself')
    .option('--everywhere', 'look through all payloads as well, and not only by the index: it takes minutes')
    .option('--reason <text>', 'why, for the record')
}

const find = asks<FoundPerson>('find', 'POST /admin/people/find', {
  about: 'What is stored of a person, by table, and who shares an address or number',
  with: (command) => naming(command).option('--reveal', 'show addresses in full; the audit has that you looked'),
  asked: (options, who) => ({ who, ...options }),
  text: foundText,
})

const exportOne = naming(new Command('export'))
  .description('All that is stored of a person, as JSON')
  .option('--json', 'print JSON; it does so anyway')
  .action(async (who: string, { json: _json, ...asked }) => {
    const client = await createClient(process.env)
    const exported = await client.post<Exported>('/admin/people/export', { who, ...asked })
    show(true, exported, () => '')
  })

const erase = naming(new Command('erase'), '[who]')
  .option('--json', 'print JSON')
  .option('--proof <file>', 'repeat the erasure that this proof is of, on a backup that was restored')
  .description('Erase a person; amounts stay under a pseudonym')
  .option('--dry-run', 'count and show, change nothing')
  .option('--skip-open', 'skip their pending deliveries, which otherwise block the erasure')
  .option('--no-tell', 'notify no destination; else each that can erase them is notified, by a delivery')
  .option(
    '--proof-to <file>',
    'write the proof there: it has nothing of the person, and repeats the erasure on a backup',
  )
  .action(async (who: string | undefined, { json, proof, proofTo, also, tell, ...asked }) => {
    if ((who === undefined) === (proof === undefined))
      throw new UserError('Name a person, or the proof of an erasure (--proof): one of them.')
    const client = await createClient(process.env)
    await using file = proofTo ? await createNewFile(proofTo) : null
    const known = proof === undefined ? null : await readProof(proof)
    const erased = await awaited(
      asked.dryRun ? 'Stopped. Nothing was changed.' : `Not waited for. ${GOES_ON}`,
      (signal) =>
        known === null
          ? client.post<ErasedPerson>('/admin/people/erase', { who, also, tell, ...asked }, signal).catch(mayHaveBegun)
          : client.post<ErasedPerson>('/admin/people/repeat', { proof: known, ...asked }, signal),
    )
    const lost = await whyLost(file, erased.proof)
    show(json, erased, () => erasedText(erased, lost === null ? (proofTo ?? null) : null))
    const { found = 0, held = [] } = erased.proof?.secondPass ?? {}
    if (found > 0 || held.length > 0) process.exitCode = EXIT.problem
    if (lost === null) return
    if (!json) show(true, erased.proof, () => '')
    printError(`${lost} The person is erased all the same, and the proof is printed instead: keep it.`)
    process.exitCode = EXIT.problem
  })

const GOES_ON = 'If it was begun, it goes on: say the same command again, and it gives the proof.'

/** Without an answer the outcome is unknown. Throws. */
function mayHaveBegun(error: unknown): never {
  if (error instanceof UserError && error.cause === undefined) throw error
  const why = messageOf(error)
  throw new UserError(`${why} ${GOES_ON}`, { cause: error })
}

/** Null: the proof is in its file, or there is none. */
async function whyLost(file: NewFile | null, proof: ErasedPerson['proof']): Promise<string | null> {
  if (file === null || proof === null) return null
  const written = file.write(`${JSON.stringify(proof, null, 2)}\n`)
  return await written.then(() => null, messageOf)
}

async function readProof(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UserError(`${file} is no proof of an erasure: ${messageOf(error)}.`)
  }
}

export const people = group('people', 'A person who asks what is kept of them, or to be erased', find, exportOne, erase)

function foundText(found: FoundPerson): string {
  const { touched, open, held, files, notified, notFollowed, isAmbiguous, begun } = found
  const rows = Object.entries(touched).map(([name, count]) => [name, count])
  return joined([
    rows.length === 0 &&
      !isAmbiguous &&
      begun === null &&
      'No data of this person is indexed (--everywhere searches all payloads).',
    begun !== null && `Their erasure as ${begun} has not ended: erase them again, and it goes on.`,
    list('Customer ids', found.customerIds),
    list('E-mail', found.emails),
    list('Phone', found.phones),
    rows.length > 0 && table(['table', 'rows'], rows, ''),
    open.length > 0 && `Still pending: ${open.length === 1 ? 'delivery' : 'deliveries'} ${open.join(', ')}.`,
    held.length > 0 &&
      `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${held.join(', ')}.`,
    filesText(
      'Files of the archive that say something of them, and stay until they expire',
      files.archived.map(({ file, expires }) => `${file} (${expires})`),
    ),
    filesText('Files of destinations that say something of them: see that they are taken, and deleted', files.waiting),
    filesText('Not looked through', files.unread),
    begun === null && rows.length > 0 && PLACES_TO_LOOK,
    toBeNotifiedText(notified.filter(({ byHub }) => byHub)),
    knownToText(notified.filter(({ byHub }) => !byHub)),
    ...notFollowed.map(({ shared, other, why }) =>
      other === ''
        ? `Not followed: events that say ${oneLine(shared)}, and no other identifier; ${why}.`
        : `Not followed: ${oneLine(other)} shares ${oneLine(shared)}; ${why}. The same person? Say --also ${oneLine(other)}.`,
    ),
    isAmbiguous &&
      'Several people have this address, number or id: say whom by an e-mail address or a customer id that is theirs alone, or who is the same (--also).',
  ])
}

function erasedText(erased: ErasedPerson, proofTo: string | null): string {
  const { proof, act } = erased
  if (proof === null) return `${foundText(erased)}\nNothing was changed.`
  const { secondPass, pseudonym, touched } = proof
  const bytes = secondPass.searched.reduce((sum, one) => sum + one.bytes, 0)
  return joined([
    `They are ${pseudonym} from now on (audit entry ${act}).`,
    table(['table', 'rows'], Object.entries(touched), ''),
    `Second pass: ${bytes} bytes looked through, ${secondPass.found === 0 ? 'nothing of the person found' : `${pluralize(secondPass.found, 'place')} still say something of the person`}.`,
    secondPass.held.length > 0 &&
      `Under a legal hold, and left as they are, though they say something of the person: ${secondPass.held.length === 1 ? 'event' : 'events'} ${secondPass.held.join(', ')}.`,
    ...secondPass.warnings,
    noticesText(erased.notices),
    knownToText(erased.notified.filter(({ byHub }) => !byHub)),
    proofTo && `The proof is in ${proofTo}: keep it for as long as there are backups of before.`,
  ])
}

function knownToText(notified: FoundPerson['notified']): string | null {
  if (notified.length === 0) return null
  const systems = notified.map(({ destination, deliveries, theirIds }) => {
    const as = theirIds.map((id) => `, customer ${oneLine(id)}`).join('')
    return `${destination} (${deliveries === 0 ? 'it sent data' : pluralize(deliveries, 'delivery')}${as})`
  })
  return `They know of the person, and an operator has to ask them to erase: ${systems.join(', ')}.`
}

function toBeNotifiedText(notified: FoundPerson['notified']): string | null {
  const names = notified.map(({ destination }) => destination)
  return names.length === 0 ? null : `To be notified when they are erased: ${names.join(', ')}.`
}

function noticesText(notices: ErasedPerson['notices']): string | null {
  const those = notices.map(({ destination, delivery, state }) => `${destination} (delivery ${delivery}, ${state})`)
  return notices.length === 0
    ? null
    : `Notified to erase them: ${those.join(', ')}. Until it is delivered, what they must know is kept sealed; the key goes then.`
}

function filesText(what: string, files: readonly string[]): string | null {
  const some = files.slice(0, 20).map(oneLine).join(', ')
  return files.length === 0 ? null : `${what}: ${some}${files.length > 20 ? ` and ${files.length - 20} more` : ''}.`
}

function list(what: string, values: readonly string[]): string | null {
  return values.length === 0 ? null : `${what}: ${values.map(oneLine).join(', ')}`
}
