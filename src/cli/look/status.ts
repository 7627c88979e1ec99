import { Command } from 'commander'
import type { Status } from '../../admin/examine/status.ts'
import { exitCodeOf, type HealthItem } from '../../domain/health/health.ts'
import { bareWhy } from '../../domain/values/bare-why.ts'
import { UserError } from '../../domain/values/errors.ts'
import { type Client, createClient } from '../shared/client.ts'
import { ago, inSoLong, show, table } from '../shared/print.ts'
import { EXIT_CODES, healthText } from './health-text.ts'

export const status = new Command('status')
  .description('What needs a person and what to type; then what is waiting, held and dead, destination by destination')
  .option('--json', 'print JSON')
  .addHelpText('after', EXIT_CODES)
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const { items: health } = await client.get<{ items: HealthItem[] }>('/admin/health')
    const found = await tableOf(client)
    show(json, typeof found === 'string' ? { health, status: null } : { health, ...found }, () =>
      [healthText(health, Date.now()), '', typeof found === 'string' ? found : text(found)].join('\n'),
    )
    process.exitCode = exitCodeOf(health)
  })

/** What stands in the table, or why there is none: the store cannot be read now. */
async function tableOf(client: Client): Promise<Status | string> {
  try {
    return await client.get<Status>('/admin/status')
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

function text({ version, destinations, events, requests }: Status): string {
  const rows = destinations.map((one) => [
    one.name,
    one.urgency,
    one.waiting,
    one.retrying,
    one.held,
    one.dead,
    one.inFlight,
    ago(one.oldest),
    remark(one),
  ])
  const head = ['destination', 'lane', 'waiting', 'retrying', 'held', 'dead', 'in flight', 'oldest', '']
  const { unrouted, quarantined, conflicts } = events
  return [
    table(head, rows, 'No destinations are configured.'),
    '',
    `Events: ${unrouted} unrouted, ${quarantined} quarantined, ${conflicts} in conflict.`,
    ...refusals(requests),
    `This hub is Tillbridge ${version}.`,
  ].join('\n')
}

/** What was refused at the door: strangers mostly, and too much at once. */
function refusals({ refused }: Status['requests']): string[] {
  const all = Object.entries(refused).map(([why, count]) => `${count} ${why}`)
  return all.length === 0 ? [] : [`Refused since the start: ${all.join(', ')} (docs/limits.md).`]
}

function remark({ name, configured, paused, trouble, callsPerSecond }: Status['destinations'][number]): string {
  if (!configured) return 'not in config'
  if (paused) return paused.why
  if (trouble)
    return `in trouble for ${ago(trouble.since)}, next try ${inSoLong(trouble.until)}: ${bareWhy(name, trouble.why)}`
  if (callsPerSecond !== null) return `slowed to ${callsPerSecond.toPrecision(2)} calls a second: it refuses more (429)`
  return 'ok'
}
