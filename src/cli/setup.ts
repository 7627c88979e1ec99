import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { Command } from 'commander'
import type { z } from 'zod'
import { availableAdapters, isPath, loadAdapter } from '../adapters/index.ts'
import type { Reloaded } from '../admin/context.ts'
import { readConfig } from '../app/read-config.ts'
import { problemLine } from '../config/issues.ts'
import type { LoadedConfig } from '../config/load.ts'
import { configPathIn } from '../config/placeholders.ts'
import { configJsonSchema, maskedConfig } from '../config/schema.ts'
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
import { createClient } from './shared/client.ts'
import { asks, group } from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { type Columns, createNewFile, printError, show, tableOf, when } from './shared/output.ts'

const TEMPLATES = join(import.meta.dirname, '..', '..', 'config')

export const init = new Command('init')
  .description('Write a first config, and its secrets to .env, unless they exist')
  .option('--sandbox', 'for a hub beside "npm run sandbox": works as it stands')
  .option('--json', 'print JSON')
  .action(async ({ sandbox = false, json }) => {
    const configPath = configPathIn(process.env)
    for (const path of [configPath, '.env'])
      if (existsSync(path))
        throw new UserError(`${path} is there already, and nothing was written: move it away first.`)
    const { config, secrets, folders } = sandbox ? await besideSandbox() : await fromExample()
    for (const folder of [dirname(configPath), ...folders]) await makeFolder(folder)
    // The hub may run as another user; secrets are in .env.
    await using file = await createNewFile(configPath, 0o666)
    await using env = await createNewFile('.env')
    await file.write(config)
    await env.write(envText(secrets))
    show(json, { config: configPath, env: '.env', secrets: Object.keys(secrets) }, () =>
      summaryOf(configPath, secrets, sandbox),
    )
  })

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    const elsewhere = 'Begin in a folder where you may write; TILLBRIDGE_CONFIG says where the config is to be.'
    throw new UserError(`The folder ${path} cannot be made (${cause.message}). ${elsewhere}`, { cause })
  })
}

interface Beginning {
  config: string
  secrets: Record<string, string>
  /** Not made by the hub. */
  folders: string[]
}

async function fromExample(): Promise<Beginning> {
  const secrets = {
    ADMIN_TOKEN: token(),
    WEBHOOK_TOKEN: token(),
    BUS_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }
  return { config: await template('example.yaml'), secrets, folders: [] }
}

/** Only secrets stay placeholders. */
async function besideSandbox(): Promise<Beginning> {
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
  '# What `npm run demo` runs the hub with: everything points at the sandbox. It fills the placeholders itself.'
const SANDBOX_SAYS = '# A hub beside `npm run sandbox`: everything points at it. The secrets are in .env.'

async function template(name: string): Promise<string> {
  return await readFile(join(TEMPLATES, name), 'utf8').catch((cause: unknown) => {
    throw new UserError(`There is no config/${name} here: begin in a checkout of Tillbridge.`, { cause })
  })
}

function token(): string {
  return randomBytes(24).toString('hex')
}

/** Quoted, so that a shell and Node read the same. */
function envText(secrets: Record<string, string>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'`)
  return `# Read by the hub and by tillbridge. In a shell: set -a; . ./.env; set +a\n${lines.join('\n')}\n`
}

function summaryOf(path: string, secrets: Record<string, string>, sandbox: boolean): string {
  const next = sandbox
    ? 'Beside "npm run sandbox" it works as it stands: npm start.'
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
