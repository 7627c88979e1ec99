import { Command, InvalidArgumentError } from 'commander'
import { UserError } from '../../domain/values/errors.ts'
import { counted } from '../../domain/values/text.ts'
import { readConfig } from '../../hub/read-config.ts'
import { suggest } from '../../lib/suggest.ts'
import { SHAPES } from '../../payloads/known/kinds.ts'
import type { EventDetail, EventRow } from '../../store/screens.ts'
import { type Client, createClient } from '../shared/client.ts'
import { ownLines } from '../shared/harmless-text.ts'
import { show } from '../shared/print.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { numberOf } from '../shared/values.ts'
import type { Tried } from './tried.ts'

/** The most payloads that are looked at, unless more are asked for; each is read whole. */
const LAST = 10
const MAX_PAYLOADS = 100

export const kindsTry = new Command('try')
  .description(
    "Read a kind's kept payloads as a config would, and say what would be booked and held; nothing is changed",
  )
  .argument('<kind>')
  .option('--config <file>', 'the config to try; without it, the one of TILLBRIDGE_CONFIG')
  .option('--last <n>', `so many of the newest payloads, at most ${MAX_PAYLOADS}`, lastOf, LAST)
  .option('--json', 'print JSON')
  .action(async (kind, { config: file, last, json }) => {
    if (!Object.hasOwn(SHAPES, kind)) throw noSuchKind(kind)
    const client = await createClient(process.env)
    const { config, path } = await readConfig({ ...process.env, ...(file && { TILLBRIDGE_CONFIG: file }) })
    // The flows come with it, which hardly another command needs.
    const { triedOn } = await import('./tried.ts')
    const events = await keptPayloads(client, kind, last)
    const tried = events.map((event) => triedOn(event, config))
    show(json, { kind, config: path, payloads: tried }, () => triedText(kind, path, tried))
  })

function lastOf(text: string): number {
  const last = numberOf(text)
  if (last >= 1 && last <= MAX_PAYLOADS) return last
  throw new InvalidArgumentError(`It is a number from 1 to ${MAX_PAYLOADS}.`)
}

/** The newest events of a kind whose payloads are kept. */
async function keptPayloads(client: Client, kind: string, limit: number) {
  const { events } = await client.get<{ events: EventRow[] }>('/admin/events', { kind, limit })
  const details = []
  for (const { id } of events)
    details.push(await client.get<Omit<EventDetail, 'body'> & { body: string | null }>(`/admin/events/${id}`))
  return details.flatMap(({ body, ...event }) => (body === null ? [] : [{ ...event, body: Buffer.from(body) }]))
}

function triedText(kind: string, path: string, tried: readonly Tried[]): string {
  if (tried.length === 0) return `The hub keeps no payload of ${kind}.`
  const parts = tried.flatMap(({ event, receivedAt, fields, becomes, goes }) => [
    `Event ${event}, taken ${when(receivedAt)}`,
    tableOf(READINGS, fields, ''),
    ownLines(`→ ${becomes}`),
    ...goes.map(({ destination, flow, effect }) =>
      ownLines(`  ${destination}: ${flow}${effect === null ? '' : ` (${effect})`}`),
    ),
    '',
  ])
  const counts = [...Map.groupBy(tried, ({ outcome }) => outcome)].map(
    ([outcome, of]) => `${of.length} ${WORDS[outcome]}`,
  )
  return [
    ...parts,
    `${counted(tried.length, 'payload')} read as ${path} says: ${counts.join(', ')}. Nothing was changed.`,
  ].join('\n')
}

const READINGS: Columns<Tried['fields'][number]> = {
  field: 'field',
  needed: ({ needed }) => (needed ? 'yes' : ''),
  'is read': ({ values }) => values.join(' · '),
}

const WORDS: Readonly<Record<Tried['outcome'], string>> = {
  acted: 'would be acted on',
  held: 'would be held',
  quarantined: 'would be quarantined',
  nothing: 'would go nowhere',
}

/** The error for a kind that the hub does not read, with the nearest that it does. */
export function noSuchKind(kind: string): UserError {
  const near = suggest(kind, Object.keys(SHAPES))
  return new UserError(`The hub reads no kind "${kind}".${near === null ? '' : ` Did you mean "${near}"?`}`)
}
