import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { Command } from 'commander'
import { configPathIn } from '../config/placeholders.ts'
import { UserError } from '../domain/values/errors.ts'
import { createNewFile } from './shared/new-file.ts'
import { show } from './shared/output.ts'

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
