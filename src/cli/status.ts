import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { Argument, Command } from 'commander'
import { request } from 'undici'
import type { z } from 'zod'
import { availableAdapters, isPath, loadAdapter } from '../adapters/index.ts'
import type { AlarmTested, Reloaded } from '../admin/context.ts'
import type { ActiveAlarm, HealthReport, Probed, Status } from '../admin/health.ts'
import type { ShownAlarms } from '../admin/operations.ts'
import { readConfig } from '../app/read-config.ts'
import { problemLine } from '../config/issues.ts'
import type { LoadedConfig } from '../config/load.ts'
import { configPathIn, DEFAULT_CONFIG } from '../config/placeholders.ts'
import { configJsonSchema, maskedConfig } from '../config/schema.ts'
import { type HealthItem, itemNameOf } from '../domain/health/health.ts'
import { adviceOn } from '../domain/queue/outcome.ts'
import { ROLES } from '../domain/role.ts'
import {
  ANY_ORDER,
  type ApiKey,
  READ_ALL,
  READ_COMPLETENESS,
  READ_METRICS,
  SET_NAMES,
  SUBMIT_SCOPES,
} from '../domain/scope.ts'
import { UserError } from '../domain/values/errors.ts'
import { formatDuration } from '../domain/values/instant.ts'
import { pluralize, stripPrefix } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { makePassword } from '../lib/password.ts'
import type { ConsoleUser } from '../storage/rows.ts'
import { type Finding, findingLine } from './doctor/platform.ts'
import { createClient, hubUrl, pathPart, strangerError, wordsOf } from './shared/client.ts'
import { asks, choice, group } from './shared/command.ts'
import { EXIT, exitCodeOf } from './shared/exit.ts'
import {
  ago,
  type Columns,
  createNewFile,
  inSoLong,
  oneLine,
  ownLines,
  printError,
  show,
  stateWord,
  tableOf,
  when,
} from './shared/output.ts'

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
    const { items: health, alarms, status: found } = await client.get<HealthReport>('/admin/health')
    const shown = { health, alarms, ...(found ?? { status: null }) }
    const counts = found
      ? countsText(found)
      : 'What waits, is held or dead cannot be counted: the store cannot be read now.'
    show(json, shown, () => [healthText(health, Date.now()), ...activeAlarmLines(alarms), '', counts].join('\n'))
    process.exitCode = exitCodeOf(health)
  })

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

const TEMPLATES = join(import.meta.dirname, '..', '..', 'config')

export const init = new Command('init')
  .description('Write a first config, and its secrets to .env, unless they exist')
  .option('--sandbox', 'for a hub beside "tillbridge sandbox": works as it stands')
  .option('--systemd', 'and tillbridge.service, a unit that runs the hub on it')
  .option('--json', 'print JSON')
  .action(async ({ sandbox = false, systemd = false, json }) => {
    const configPath = configPathIn(process.env)
    const unit = systemd ? await systemdUnit(configPath) : null
    for (const path of [configPath, '.env', ...(unit === null ? [] : [UNIT])])
      if (existsSync(path))
        throw new UserError(`${path} is there already, and nothing was written: move it away first.`)
    const { config, secrets, folders } = sandbox ? await besideSandbox() : await fromExample()
    const isNew = !existsSync(dirname(configPath))
    for (const folder of [dirname(configPath), ...folders]) await makeFolder(folder)
    await using file = await createNewFile(configPath)
    await using env = await createNewFile('.env')
    await file.write(config)
    await env.write(envText(secrets))
    if (unit !== null) {
      await using service = await createNewFile(UNIT)
      await service.write(unit)
    }
    // The hub may run as another user; secrets are in .env.
    if (isNew) await chmod(dirname(configPath), 0o755)
    for (const path of [configPath, ...(unit === null ? [] : [UNIT])]) await chmod(path, 0o644)
    const written = { config: configPath, env: '.env', ...(unit !== null && { unit: UNIT }) }
    show(json, { ...written, secrets: Object.keys(secrets) }, () =>
      [summaryOf(configPath, secrets, sandbox), unit === null ? '' : UNIT_SAYS].filter(Boolean).join('\n'),
    )
  })

const UNIT = 'tillbridge.service'

const UNIT_SAYS = `${UNIT} runs it: systemctl enable --now "$PWD/${UNIT}". Its data is in /var/lib/tillbridge.`

/** Throws a UserError where the unit's user could not read what it starts. */
async function systemdUnit(configPath: string): Promise<string> {
  if (configPath !== DEFAULT_CONFIG)
    throw new UserError(`--systemd writes ${DEFAULT_CONFIG}; TILLBRIDGE_CONFIG says otherwise.`)
  const places = {
    NODE: process.execPath,
    TILLBRIDGE: join(TEMPLATES, '..', 'bin', 'tillbridge.mjs'),
    FOLDER: resolve('.'),
  }
  for (const place of Object.values(places)) {
    if (/^\/(home|root|run\/user)\//.test(`${place}/`))
      throw new UserError(
        `A service of systemd does not see ${place}: install Node and Tillbridge for all users (npm install --global), and begin in a folder such as /etc/tillbridge.`,
      )
    if (/[\s"'\\%$]/.test(place)) throw new UserError(`A unit of systemd cannot name ${place}: move it.`)
  }
  const unit = await template('deploy/tillbridge.service')
  return unit.replace(/@(NODE|TILLBRIDGE|FOLDER)@/g, (_, name: keyof typeof places) => places[name])
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    const elsewhere = 'Begin in a folder where you may write; TILLBRIDGE_CONFIG says where the config is to be.'
    throw new UserError(`The folder ${path} cannot be made (${cause.message}). ${elsewhere}`, { cause })
  })
}

async function fromExample() {
  const secrets: Record<string, string> = {
    ADMIN_TOKEN: token(),
    WEBHOOK_TOKEN: token(),
    BUS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }
  return { config: await template('example.yaml'), secrets, folders: [] }
}

/** Only secrets stay placeholders. `folders`: those that the hub does not make itself. */
async function besideSandbox() {
  const values: NodeJS.Dict<string> = {
    ADMIN_TOKEN: token(),
    WEBHOOK_TOKEN: token(),
    ...parseEnv(await template('sandbox.env')),
  }
  const secrets = Object.fromEntries(
    Object.entries(values).flatMap(([name, value = '']) => (SECRET.test(name) ? [[name, value]] : [])),
  )
  const config = await template('demo.yaml')
  const filled = config.replace(/\$\{(\w+)\}/g, (written, name: string) =>
    name in secrets ? written : (values[name] ?? written),
  )
  return { config: filled.replace(DEMO_SAYS, SANDBOX_SAYS), secrets, folders: [values.ERP_FOLDER ?? './data/erp'] }
}

const SECRET = /_(KEY|SECRET|TOKEN|AUTHORIZATION)$|^MAIL_URL$/

const DEMO_SAYS =
  '# What `tillbridge demo` runs the hub with: everything points at the sandbox. It fills the placeholders itself.'
const SANDBOX_SAYS = '# A hub beside `tillbridge sandbox`: everything points at it. The secrets are in .env.'

async function template(name: string): Promise<string> {
  return await readFile(join(TEMPLATES, name), 'utf8').catch((cause: unknown) => {
    throw new UserError(`There is no config/${name} here: install Tillbridge again.`, { cause })
  })
}

const token = () => randomBytes(24).toString('hex')

/** Quoted, so that a shell and Node read the same. */
function envText(secrets: Record<string, string>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'`)
  return `# Read by the hub and by tillbridge. In a shell: set -a; . ./.env; set +a\n${lines.join('\n')}\n`
}

function summaryOf(path: string, secrets: Record<string, string>, sandbox: boolean): string {
  const next = sandbox
    ? 'Beside "tillbridge sandbox" it works as it stands: "tillbridge start".'
    : 'Now put in where the platform is, and its keys; "tillbridge check" says what is wrong.'
  return `${path} is the config, .env has its secrets (${Object.keys(secrets).join(', ')}). ${next}`
}

export const check = new Command('check')
  .description('Say everything that is wrong with the config; nothing is started')
  .option('--online', 'ask the platform and the destinations as well; they change nothing')
  .option('--json', 'print JSON: the config as it is understood, or the problems')
  .addHelpText(
    'after',
    '\nExit code 0: right. 1: a hub would start, but a name is most likely wrong, or the platform or a destination has a problem.\n2: no hub starts with it. Nothing is opened, asked or written, but by --online.',
  )
  .action(async ({ online = false, json }) => {
    // Loads the whole hub.
    const { configVerdictText, judgeConfig } = await import('./doctor/diagnose.ts')
    const loaded = await readConfig(process.env)
    const verdict = await judgeConfig(loaded, online)
    const options = await optionsByAdapter(loaded)
    const { warnings, findings } = verdict
    const described = maskedConfig(loaded.config, (adapter) => options.get(adapter)) as object
    show(json, { ...described, warnings, ...(online && { findings }) }, () => configVerdictText(loaded, verdict))
    if (warnings.length > 0 || findings.some(({ state }) => state === 'problem')) process.exitCode = EXIT.problem
  })

/** Of built-in adapters and packages; what an operator's own file calls a secret is not known to be all. */
async function optionsByAdapter({ config, folder }: LoadedConfig): Promise<Map<string, z.ZodObject>> {
  const named = config.destinations.map(({ adapter }) => adapter).filter((adapter) => !isPath(adapter))
  const loaded = named.map(async (adapter) => [adapter, (await loadAdapter(adapter, folder)).options] as const)
  return new Map(await Promise.all(loaded))
}

export const reload = asks<Reloaded>('reload', 'POST /admin/reload', {
  about: 'Have the running hub read its config again, all or nothing; no webhook is refused meanwhile',
  with: (command) =>
    command.addHelpText(
      'after',
      '\nSIGHUP does the same. The hub reads its own file and environment, not those of this command; "check" reads these.',
    ),
  text: reloadedText,
})

function reloadedText({ file, changed, warnings }: Reloaded): string {
  const said =
    changed.length === 0
      ? 'Nothing in the config has changed; the files that it names were read again.'
      : `Taken in: ${changed.join(', ')}.`
  if (warnings.length === 0) return said
  return [said, 'Most likely wrong:', ...warnings.map((warning) => problemLine(file, warning))].join('\n')
}

export const schema = new Command('schema')
  .description('Print the JSON Schema of the config, for editors')
  .option('--json', 'print JSON; it does so anyway')
  .action(async () =>
    show(true, configJsonSchema(await availableAdapters(dirname(configPathIn(process.env)))), () => ''),
  )

const KEYS: Columns<ApiKey> = {
  id: 'id',
  system: 'system',
  may: ({ scopes }) => scopes.join(','),
  made: ({ createdAt }) => when(createdAt),
  by: 'createdBy',
  used: ({ lastUsedAt }) => when(lastUsedAt),
  revoked: ({ revokedAt }) => when(revokedAt),
}

const createKey = new Command('create')
  .description('Make an API key; it is shown this once')
  .argument('<system>', 'its name: lower-case letters, digits and hyphens')
  .requiredOption('--may <list>', 'its scopes, with commas between, such as products,read:stock')
  .option('--json', 'print JSON')
  .addHelpText(
    'after',
    `
Scopes:
  to submit                        ${SUBMIT_SCOPES.join(', ')}
  and other systems' orders too    ${ANY_ORDER} (beside orders; without it a key changes and cancels the orders of its own system)
  to read                          read:<set> of ${SET_NAMES.join(', ')}; ${READ_ALL} for all of them
  to ask whether all is here       ${READ_COMPLETENESS}
  to watch over the hub            ${READ_METRICS}`,
  )
  .action(async (system, { may, json }) => {
    const client = await createClient(process.env)
    const made = await client.post<ApiKey & { key: string }>('/admin/keys', { system, may })
    show(json, made, () => made.key)
    if (!json) printError(`${system} may ${made.scopes.join(', ')}. The key is not shown again: keep it now.`)
  })

const keyList = asks<{ keys: ApiKey[] }>('list', 'GET /admin/keys', {
  about: 'API keys, without their secrets',
  text: ({ keys: all }) => tableOf(KEYS, all, 'There are no keys.'),
})

const revokeKey = asks<ApiKey>('revoke', 'POST /admin/keys/:id/revoke', {
  about: 'Make an API key invalid',
  with: (command) => command.argument('<id>'),
  text: ({ id, system, revokedAt }) => `${id} of ${system} is revoked since ${when(revokedAt)}.`,
})

export const keys = group(
  'keys',
  'API keys of own systems, which submit to /v1 and read from it',
  createKey,
  keyList,
  revokeKey,
)

const USERS: Columns<ConsoleUser> = {
  name: 'name',
  role: 'role',
  added: ({ createdAt }) => when(createdAt),
  by: 'createdBy',
  disabled: ({ disabledAt }) => when(disabledAt),
}

/** Made up and shown once, or read from the standard input. */
async function passwordOf(isGiven: boolean): Promise<{ password: string; made: string | null }> {
  if (isGiven) return { password: (await textOf(process.stdin)).replace(/\r?\n$/, ''), made: null }
  const password = makePassword()
  return { password, made: password }
}

function withPassword(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from the standard input; else one is made up and shown this once')
    .option('--json', 'print JSON')
}

function showMade(json: boolean | undefined, name: string, made: string | null): void {
  show(json, { name, ...(made !== null && { password: made }) }, () => made ?? `${name} may sign in.`)
  if (!json && made !== null) printError(`The password of ${name}. It is not shown again: keep it now.`)
}

const add = withPassword(new Command('add'))
  .description('Add a user of the console')
  .argument('<name>')
  .addOption(choice('--role <role>', 'what they may see and do', ROLES).makeOptionMandatory())
  .action(async (name, { role, passwordStdin, json }) => {
    const { password, made } = await passwordOf(passwordStdin)
    await (await createClient(process.env)).post('/admin/users', { name, role, password })
    showMade(json, name, made)
  })

const newPassword = withPassword(new Command('password'))
  .description('Give a user a new password; a disabled one may sign in again')
  .argument('<name>')
  .action(async (name, { passwordStdin, json }) => {
    const { password, made } = await passwordOf(passwordStdin)
    await (await createClient(process.env)).post(`/admin/users/${pathPart(name)}/password`, { password })
    showMade(json, name, made)
  })

const disable = asks<ConsoleUser>('disable', 'POST /admin/users/:name/disable', {
  about: 'Shut a user out, at once',
  with: (command) => command.addArgument(new Argument('<name>')),
  asked: () => ({}),
  text: ({ name }) => `${name} is shut out.`,
})

const list = asks<{ users: ConsoleUser[] }>('list', 'GET /admin/users', {
  about: 'Users of the console',
  text: ({ users: all }) => tableOf(USERS, all, 'There are no users.'),
})

export const users = group('users', 'Who may use the console (/console)', add, newPassword, disable, list)
