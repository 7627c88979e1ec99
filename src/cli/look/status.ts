import { Command } from 'commander'
import type { Looked, StandingAlarm } from '../../admin/examine/look.ts'
import type { Status } from '../../admin/examine/status.ts'
import { bareWhy } from '../../domain/values/text.ts'
import { OWN_VERSION } from '../../lib/own-version.ts'
import { standingLines } from '../acts/alarms.ts'
import { createClient } from '../shared/client.ts'
import { exitCodeOf } from '../shared/exit-codes.ts'
import { show } from '../shared/print.ts'
import { type Columns, tableOf } from '../shared/table.ts'
import { ago, inSoLong } from '../shared/times.ts'
import { EXIT_CODES, healthText } from './health-text.ts'

export const status = new Command('status')
  .description('What needs a person and what to type; then what is waiting, held and dead, destination by destination')
  .option('--json', 'print JSON')
  .addHelpText('after', EXIT_CODES)
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const { items: health, alarms, status: found } = await client.get<Answer>('/admin/health')
    show(json, found === null ? { health, alarms, status: null } : { health, alarms, ...found }, () =>
      [healthText(health, Date.now()), ...standingLines(alarms), '', found === null ? NOT_COUNTED : text(found)].join(
        '\n',
      ),
    )
    process.exitCode = exitCodeOf(health)
  })

type Answer = Pick<Looked, 'items'> & { alarms: StandingAlarm[] | null; status: Status | null }

const NOT_COUNTED = 'What waits, is held or dead cannot be counted: the store cannot be read now.'

function text({ version, destinations, events, requests }: Status): string {
  const { unrouted, quarantined, conflicts } = events
  return [
    tableOf(DESTINATIONS, destinations, 'No destinations are configured.'),
    '',
    `Events: ${unrouted} unrouted, ${quarantined} quarantined, ${conflicts} in conflict.`,
    ...refusals(requests),
    versionText(version),
  ].join('\n')
}

const DESTINATIONS: Columns<Status['destinations'][number]> = {
  destination: 'name',
  lane: 'urgency',
  waiting: 'waiting',
  retrying: 'retrying',
  held: 'held',
  dead: 'dead',
  'in flight': 'inFlight',
  oldest: ({ oldest }) => ago(oldest),
  '': remark,
}

/** The hub's version, where it is another than this command's: that explains what else looks odd. */
function versionText(version: string): string {
  return version === OWN_VERSION
    ? `This hub is Tillbridge ${version}.`
    : `This hub is Tillbridge ${version}; this command is of ${OWN_VERSION}.`
}

/** Requests that were refused before they were looked at: of strangers mostly, or too much at once. */
function refusals({ refused, refusedAt = {} }: Status['requests']): string[] {
  const all = Object.entries(refused).map(([why, count]) => {
    const at = Object.entries(refusedAt[why] ?? {}).map(([path, times]) => `${path} ${times}`)
    return `${count} ${why}${at.length === 0 ? '' : ` (at ${at.join(', ')})`}`
  })
  return all.length === 0 ? [] : [`Refused since the start: ${all.join(', ')} (docs/limits.md).`]
}

function remark({
  name,
  waiting,
  configured,
  paused,
  trouble,
  failing,
  callsPerSecond,
}: Status['destinations'][number]): string {
  if (!configured) return 'not in config'
  if (paused) return paused.why
  if (trouble)
    return `in trouble for ${ago(trouble.since)}, next try ${inSoLong(trouble.until)}: ${bareWhy(name, trouble.why)}`
  if (failing && waiting > 0) return `fails for ${ago(failing.since)}: ${bareWhy(name, failing.why)}`
  if (callsPerSecond !== null) return `slowed to ${callsPerSecond.toPrecision(2)} calls a second: it refuses more (429)`
  return 'ok'
}
