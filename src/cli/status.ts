import { Command } from 'commander'
import type { Status } from '../admin/status.ts'
import { rowsAsideText } from '../domain/rows-aside.ts'
import { createClient } from './client.ts'
import { ago, show, table } from './print.ts'

export const status = new Command('status')
  .description('What is waiting, held, dead and unrouted, destination by destination')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<Status>('/admin/status')
    show(json, found, () => text(found))
  })

function text({ destinations, events, requests, aside }: Status): string {
  const rows = destinations.map((one) => [
    one.name,
    one.urgency,
    one.waiting,
    one.retrying,
    one.held,
    one.dead,
    one.inFlight,
    ago(one.oldest),
    health(one),
  ])
  const head = ['destination', 'lane', 'waiting', 'retrying', 'held', 'dead', 'in flight', 'oldest', '']
  const { unrouted, quarantined, conflicts } = events
  return [
    table(head, rows, 'No destinations are configured.'),
    '',
    `Events: ${unrouted} unrouted, ${quarantined} quarantined, ${conflicts} in conflict.`,
    ...reused(events),
    ...refusals(requests),
    ...unreadable(aside),
    hint(destinations, events),
  ].join('\n')
}

/** Events of which several had one id: what is told apart by it was nearly lost. */
function reused({ reusedKeys: { count, last } }: Status['events']): string[] {
  if (count === 0) return []
  return [
    `Event ids: ${count} events came under the id of another one, the last ${ago(last)} ago. They were taken all the same.`,
  ]
}

/** Rows of the platform's lists: the others go on, and these are asked for again. A hub of before does not tell any. */
function unreadable(aside: Status['aside'] = []): string[] {
  return aside.map((one) => `Cannot be read for ${ago(one.since)}: ${rowsAsideText(one)}.`)
}

/** A header that was corrected is no concern any more (milliseconds). */
const LATELY = 24 * 3_600_000

/** What was refused at the door: strangers mostly, and too much at once. */
function refusals({ refused }: Status['requests']): string[] {
  const all = Object.entries(refused).map(([why, count]) => `${count} ${why}`)
  return all.length === 0 ? [] : [`Refused since the start: ${all.join(', ')} (docs/limits.md).`]
}

function health({ configured, paused, trouble, callsPerSecond }: Status['destinations'][number]): string {
  if (!configured) return 'not in config'
  if (paused) return paused.why
  if (trouble) return `in trouble for ${ago(trouble.since)}: ${trouble.why}`
  if (callsPerSecond !== null) return `slowed to ${callsPerSecond.toPrecision(2)} calls a second: it refuses more (429)`
  return 'ok'
}

/** What to type next; docs/when-it-goes-wrong.md has the whole story. */
function hint(destinations: Status['destinations'], events: Status['events']): string {
  const down = destinations.flatMap(({ name, trouble }) => (trouble?.down ? [{ name, ...trouble }] : []))
  const wrong = [
    destinations.some(({ configured }) => !configured) && 'deliveries move --from … --to …',
    destinations.some(({ dead }) => dead > 0) && 'deliveries list --state dead',
    destinations.some(({ held }) => held > 0) && 'deliveries list --state held',
    events.unrouted > 0 && 'events list --state unrouted',
    events.quarantined > 0 && 'events list --state quarantined',
    events.conflicts > 0 && 'events list --conflict',
    (events.reusedKeys.last ?? 0) > Date.now() - LATELY &&
      'platform.webhooks.eventIdHeader, and events list --reused-key',
  ].filter((command) => command !== false)
  const lines = [...new Set(down.map(downLine))]
  if (wrong.length > 0) lines.push(`To look at: ${wrong.join(' · ')}`)
  return lines.length === 0 ? 'Nothing needs a person.' : lines.join('\n')
}

function downLine({ name, code, means, todo }: { name: string; code: string; means: string; todo: string }): string {
  return `Down: ${name}: ${means} (${code}). To do: ${todo}`
}
