import { styleText } from 'node:util'
import { Command } from 'commander'
import { request } from 'undici'
import type { ActiveAlarm, Looked, Status } from '../admin/health.ts'
import { type HealthItem, itemNameOf } from '../domain/health/health.ts'
import { stripPrefix } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { activeAlarmLines } from './alarms.ts'
import { createClient, hubUrl, strangerError, wordsOf } from './shared/client.ts'
import { EXIT, exitCodeOf } from './shared/exit.ts'
import { ago, type Columns, inSoLong, ownLines, show, tableOf } from './shared/output.ts'

export const EXIT_CODES =
  '\nIt ends with 0 where all is well, 1 where something needs a person, 2 where nobody can tell (no hub answers).'

const STYLES = { problem: 'red', unknown: 'red', note: 'yellow', ok: 'green' } as const
const ORDER = Object.keys(STYLES)

/** Shorter than a container's health check. */
const HEALTH_TIMEOUT_MS = 4_000

const DESTINATIONS: Columns<Status['destinations'][number]> = {
  destination: 'name',
  queue: 'urgency',
  waiting: 'waiting',
  retrying: 'retrying',
  held: 'held',
  dead: 'dead',
  'in flight': 'inFlight',
  oldest: ({ oldest }) => ago(oldest),
  '': remark,
}

export const status = new Command('status')
  .description('What needs a person, and what to type; then each queue')
  .option('--json', 'print JSON')
  .addHelpText('after', EXIT_CODES)
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const { items: health, alarms, status: found } = await client.get<Answer>('/admin/health')
    const shown = { health, alarms, ...(found ?? { status: null }) }
    const counts = found
      ? countsText(found)
      : 'What waits, is held or dead cannot be counted: the store cannot be read now.'
    show(json, shown, () => [healthText(health, Date.now()), ...activeAlarmLines(alarms), '', counts].join('\n'))
    process.exitCode = exitCodeOf(health)
  })

type Answer = Pick<Looked, 'items'> & { alarms: ActiveAlarm[] | null; status: Status | null }

export const health = new Command('health')
  .description('Whether the hub can take webhooks: exit code 0 or 1')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const url = await hubUrl(process.env)
    const why = await whyNotReady(url)
    const says = why === null ? `${url} is ready.` : `${url} is not ready: ${why}`
    show(json, { url, ready: why === null, why }, () => says)
    if (why !== null) process.exitCode = EXIT.problem
  })

export function stateWord(state: HealthItem['state']): string {
  return styleText(STYLES[state], state.padEnd('problem'.length))
}

/** Null: ready, by the hub's own words: another server may answer 200. */
async function whyNotReady(url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
    const { statusCode, body } = await request(`${url}/health/ready`, { signal })
    const answer: unknown = await body.json().catch(() => null)
    const { status: said, detail }: { status?: unknown; detail?: unknown } = Object(answer)
    if (statusCode === 200 && said === 'ready') return null
    return typeof detail === 'string' ? `${statusCode}: ${detail}` : strangerError(url, statusCode).message
  } catch (error) {
    return `nobody answers (${wordsOf(error)}).`
  }
}

function healthText(items: readonly HealthItem[], now: number): string {
  const reported = items
    .filter(({ state }) => state !== 'ok')
    .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  const isWell = reported.every(({ state }) => state === 'note')
  return [...(isWell ? ['Nothing needs a person.'] : []), ...reported.map((item) => healthLine(item, now))].join('\n')
}

function healthLine(item: HealthItem, now: number): string {
  const { state, since, next, means, todo } = item
  const words = [
    means,
    since !== null && `For ${ago(since, now)}.`,
    next !== undefined && `Next try ${inSoLong(next, now)}.`,
    todo !== null && `To do: ${todo}`,
  ].filter((one) => one !== false)
  return `${stateWord(state)}  ${itemNameOf(item)}: ${ownLines(words.join(' '))}`
}

function countsText({ version, destinations, events, requests }: Status): string {
  const { unrouted, quarantined, conflicts } = events
  const other = version === OWN_VERSION ? '' : `; this command is of ${OWN_VERSION}`
  return [
    tableOf(DESTINATIONS, destinations, 'No destinations are configured.'),
    '',
    `Events: ${unrouted} unrouted, ${quarantined} quarantined, ${conflicts} in conflict.`,
    ...refusals(requests),
    `This hub is Tillbridge ${version}${other}.`,
  ].join('\n')
}

function refusals({ refused, refusedAt = {} }: Status['requests']): string[] {
  const all = Object.entries(refused).map(([why, count]) => {
    const at = Object.entries(refusedAt[why] ?? {}).map(([path, times]) => `${path} ${times}`)
    return `${count} ${why}${at.length === 0 ? '' : ` (at ${at.join(', ')})`}`
  })
  return all.length === 0 ? [] : [`Refused since the start: ${all.join(', ')} (docs/limits.md).`]
}

function remark(destination: Status['destinations'][number]): string {
  const { name, waiting, configured, paused, outage, failing, callsPerSecond } = destination
  if (!configured) return 'not in config'
  if (paused) return paused.why
  if (outage)
    return `down for ${ago(outage.since)}, next try ${inSoLong(outage.until)}: ${stripPrefix(name, outage.why)}`
  if (failing && waiting > 0) return `fails for ${ago(failing.since)}: ${stripPrefix(name, failing.why)}`
  if (callsPerSecond !== null) return `slowed to ${callsPerSecond.toPrecision(2)} calls a second: it refuses more (429)`
  return 'ok'
}
