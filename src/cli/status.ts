import { Command } from 'commander'
import { request } from 'undici'
import type { AlarmTested } from '../admin/context.ts'
import type { ActiveAlarm, HealthReport, Probed, Status } from '../admin/health.ts'
import type { ShownAlarms } from '../admin/operations.ts'
import { type HealthItem, itemNameOf } from '../domain/health/health.ts'
import { adviceOn } from '../domain/queue/outcome.ts'
import { formatDuration } from '../domain/values/instant.ts'
import { pluralize, stripPrefix } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { type Finding, findingLine } from './doctor/hub.ts'
import { createClient, hubUrl, pathPart, strangerError, wordsOf } from './shared/client.ts'
import { asks, group } from './shared/command.ts'
import { EXIT, exitCodeOf } from './shared/exit.ts'
import { ago, type Columns, inSoLong, oneLine, ownLines, show, stateWord, tableOf } from './shared/output.ts'

const EXIT_CODES =
  '\nIt ends with 0 where all is well, 1 where something needs an operator, 2 where that is unknown (no hub answers).'

/** Worst first. */
const STATE_ORDER = ['problem', 'unknown', 'note', 'ok']

/** Shorter than a container's health check. */
const HEALTH_TIMEOUT_MS = 4_000

const QUEUES: Columns<Status['destinations'][number]> = {
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

type Answer = Pick<HealthReport, 'items'> & { alarms: ActiveAlarm[] | null; status: Status | null }

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
    return `no answer (${wordsOf(error)}).`
  }
}

function healthText(items: readonly HealthItem[], now: number): string {
  const reported = items
    .filter(({ state }) => state !== 'ok')
    .toSorted((a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state))
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
    tableOf(QUEUES, destinations, 'No destinations are configured.'),
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

const ALARM_RULES: Columns<ShownAlarms['rules'][number]> = {
  rule: 'name',
  severity: 'severity',
  after: ({ after }) => (after === 0 ? 'at once' : formatDuration(after)),
  says: 'says',
}

const alarmList = asks<ShownAlarms>('list', 'GET /admin/alarms', {
  about: 'Active alarms, their recipients, and what could not be sent',
  text: ({ active, recipients, unsent }) => {
    const [, ...lines] = activeAlarmLines(active)
    return [
      ...(lines.length === 0 ? ['No alarm stands.'] : lines),
      lines.length > 0 && '\nWhat to do about each, "tillbridge status" says.',
      '',
      tableOf(
        { to: 'name', 'at least': 'least', addresses: ({ addresses }) => addresses || '' },
        recipients,
        'Config names no recipient (alarms.to): alarms are only in the log.',
      ),
      ...unsent.map(
        ({ to, notices, since, nextAt, why }) =>
          since !== null &&
          ownLines(
            `\n${to} could not be notified of ${notices} for ${ago(since)}, next try ${inSoLong(nextAt)}: ${why}`,
          ),
      ),
    ]
  },
})

const alarmRules = asks<ShownAlarms>('rules', 'GET /admin/alarms', {
  about: 'Every alarm: its meaning, its severity, how long it must last',
  text: (found) => tableOf(ALARM_RULES, found.rules, 'There are no rules.'),
})

const testAlarms = asks<{ reported: AlarmTested[] }>('test', 'POST /admin/alarms/test', {
  about: 'Send a test notice to every recipient of alarms; exit code 1 if one did not take it, or there is none',
  with: (command) => command.option('--reason <text>', 'why, for the audit'),
  text: ({ reported }) =>
    tableOf(
      { to: 'to', '': ({ why }) => why ?? 'took it' },
      reported,
      'Config names no recipient (alarms.to): alarms are only in the log.',
    ),
  exit: ({ reported }) =>
    reported.length === 0 || reported.some(({ why }) => why !== null) ? EXIT.problem : undefined,
})

export const alarms = group(
  'alarms',
  'Active alarms, their rules, and who is notified',
  alarmList,
  alarmRules,
  testAlarms,
)

/** With a heading; empty without alarms. */
function activeAlarmLines(active: readonly ActiveAlarm[] | null, now = Date.now()): string[] {
  if (active === null || active.length === 0) return []
  const lines = active.map(({ severity, rule, thing, says, since, goneAt = null }) => {
    // A cleared alarm stays until it is sure not to return.
    const lasted =
      goneAt === null
        ? `For ${ago(since, now)}.`
        : `It was so for ${formatDuration(Math.max(0, goneAt - since))}, and last found ${ago(goneAt, now)} ago.`
    return ownLines(`${severity.toUpperCase()} ${rule}: ${thing}: ${says} ${lasted}`)
  })
  return ['', 'Alarms that stand:', ...lines]
}

export const pause = pausing('pause', 'paused', 'Send nothing to a destination until it is resumed')
export const resume = pausing('resume', 'resumed', 'Go on with a paused destination')

export const probe = asks<Probed>('probe', 'POST /admin/destinations/:name/probe', {
  about: 'Try a destination that is down now, and ask its adapter what it sees',
  with: (command) => command.argument('<destination>').addHelpText('after', EXIT_CODES),
  text: (probed) => {
    const { destination, found } = probed
    const lines = (found ?? []).map(({ what, state, says, todo }) => {
      const remedy = todo === undefined ? '' : ` To do: ${todo}`
      return `${stateWord(state)}  ${ownLines(`${destination}, ${what}: ${says}${remedy}`)}`
    })
    const none = found === null ? `Its adapter has nothing to ask ${destination} by.` : 'Nothing was found.'
    return [oneLine(triedText(probed)), ...(lines.length > 0 ? lines : [none])]
  },
  exit: ({ now, held, found }) =>
    exitCodeOf([...(now === null && !held ? [] : [{ state: 'problem' } as const]), ...(found ?? [])]),
})

function pausing(verb: 'pause' | 'resume', done: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<destination>')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
    .action(async (destination, { reason, json }) => {
      const client = await createClient(process.env)
      await client.post(`/admin/destinations/${pathPart(destination)}/${verb}`, { reason })
      show(json, { destination, done }, () => oneLine(`${destination} is ${done}.`))
    })
}

function triedText({ destination, before, now, paused, held }: Probed): string {
  const stays = `${paused}: nothing is sent. To do: tillbridge resume ${destination} lets it go on.`
  if (held)
    return `${destination} was not tried: nothing is sent to any destination, since ${held}. To do: tillbridge status says what helps.`
  if (now === null) {
    const is = before === null ? 'not down' : 'back'
    if (paused) return `${destination} is ${is}, but ${stays}`
    const goes = before === null ? ': what waits for it is sent as it is due.' : '. What waits for it goes out.'
    return `${destination} is ${is}${goes}`
  }
  const { code, why, since, until, failures } = now
  const outage = `for ${ago(since)} and ${pluralize(failures, 'failure')}: ${adviceOn(code).means} (${code}: ${stripPrefix(destination, why)})`
  return paused
    ? `${destination} was not tried. It is down, ${outage}, and ${stays}`
    : `${destination} is still down, ${outage}. Next try ${inSoLong(until)}.`
}

export const doctor = new Command('doctor')
  .description('Ask the running hub and the platform what is wrong, and what to do')
  .addHelpText(
    'after',
    `
It asks the running hub, which says how it is and asks each destination's own system, with its own keys. Then it reads the
config, and asks the platform from this machine. It changes and sends nothing anywhere.
${EXIT_CODES}`,
  )
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    // Loads the whole hub.
    const { diagnose } = await import('./doctor/diagnose.ts')
    const findings = await diagnose(process.env)
    const problems = findings.filter(({ state }) => state === 'problem').length
    show(json, { problems, findings }, () =>
      [...findings.map(findingLine), '', verdictOf(findings, problems)].join('\n'),
    )
    process.exitCode = exitCodeOf(findings)
  })

function verdictOf(findings: readonly Finding[], problems: number): string {
  if (problems > 0) return `${pluralize(problems, 'problem')}.`
  return exitCodeOf(findings) === EXIT.well
    ? 'Nothing is wrong.'
    : 'Nothing wrong was found, but not all could be asked.'
}
