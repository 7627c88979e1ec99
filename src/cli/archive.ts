import { isUtf8 } from 'node:buffer'
import { Command } from 'commander'
import { readConfig } from '../app/read-config.ts'
import { openArchive } from '../archive/archive.ts'
import { type ArchivedEvent, archivedBody, createOnce, readArchived } from '../archive/archived-events.ts'
import { erasuresIn } from '../archive/erasures.ts'
import { type ArchivedFile, readManifest } from '../archive/manifest.ts'
import { UserError } from '../domain/values/errors.ts'
import { createClient } from './shared/client.ts'
import { limitOption, moreLines } from './shared/options.ts'
import { type Columns, show, showLine, tableOf, when } from './shared/output.ts'
import { group } from './shared/question.ts'

interface Found {
  event: number
  kind: string
  receivedAt: number
  identity: string | null
  file: string
}

const FOUND: Columns<Found> = {
  event: 'event',
  kind: 'kind',
  received: ({ receivedAt }) => when(receivedAt),
  identity: 'identity',
  file: 'file',
}

const search = new Command('search')
  .description('Archived events that contain this')
  .argument('<words...>', 'all of them, in any case')
  .option('--kind <kind>', 'of this kind')
  .addOption(limitOption('so many'))
  .option('--json', 'print JSON')
  .action(async (words: string[], { kind, limit, json }: { kind?: string; limit: number; json?: true }) => {
    const found: Found[] = []
    await readArchive(async ({ eventsOf, withoutErased }) => {
      for await (const [event, { file }] of eventsOf((one) => kind === undefined || one.kind === kind)) {
        if (!says(event, words)) continue
        const { id, kind: ofKind, receivedAt, identity } = await withoutErased(event)
        found.push({ event: id, kind: ofKind, receivedAt, identity, file })
        if (found.length >= limit) break
      }
    })
    const more = moreLines(found, limit, 'a higher --limit shows it')
    show(json, { found }, () => [tableOf(FOUND, found, 'The archive has none that says so.'), ...more].join('\n'))
  })

const restore = new Command('restore')
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

export const archive = group('archive', 'Events that were kept elsewhere before they went', search, restore)

interface Reading {
  eventsOf(wanted: (file: ArchivedFile) => boolean): AsyncGenerator<[ArchivedEvent, ArchivedFile]>
  /** Only the hub's secret identifies the erased. */
  withoutErased(event: ArchivedEvent): Promise<ArchivedEvent>
}

/** Over one connection. Throws a UserError. */
async function readArchive(work: (reading: Reading) => Promise<void>): Promise<void> {
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

function says(event: ArchivedEvent, words: readonly string[]): boolean {
  const { identity, transportKey } = event
  const text = [archivedBody(event)?.toString('utf8'), identity, transportKey].join('\n').toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}
