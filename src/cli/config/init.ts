import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { readProgramEnv } from '../../config/reading/placeholders.ts'
import { UserError } from '../../domain/values/errors.ts'
import { createNewFile } from '../shared/new-file.ts'
import { show } from '../shared/output.ts'

const TEMPLATES = join(import.meta.dirname, '..', '..', '..', 'config')

export const init = new Command('init')
  .description('Write a config to begin with, and its secrets to .env; what is there already is left alone')
  .option('--sandbox', 'for a hub beside "npm run sandbox": works as it stands')
  .option('--json', 'print JSON')
  .action(async ({ sandbox = false, json }) => {
    const { configPath } = readProgramEnv(process.env)
    for (const path of [configPath, '.env'])
      if (existsSync(path))
        throw new UserError(`${path} is there already, and nothing was written: move it away first.`)
    const { config, secrets, folders } = sandbox ? await besideSandbox() : await fromExample()
    for (const folder of [dirname(configPath), ...folders]) await makeFolder(folder)
    // The hub may run as another user, and what is secret stands in .env.
    await using file = await createNewFile(configPath, 0o666)
    await using env = await createNewFile('.env')
    await file.write(config)
    await env.write(envText(secrets))
    show(json, { config: configPath, env: '.env', secrets: Object.keys(secrets) }, () =>
      told(configPath, secrets, sandbox),
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
  /** Folders that the config names and the hub does not make. */
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

/** The demo's config: what is no secret stands in it as it is, so that one can read it. */
async function besideSandbox(): Promise<Beginning> {
  const { TILL_TOKEN, MAIL_URL, ...plain } = { ...HUB_VALUES, ...SANDBOX_PLACES }
  const { TEXTS_KEY, ...keys } = SANDBOX_KEYS
  const secrets = {
    ADMIN_TOKEN: token(),
    WEBHOOK_TOKEN: token(),
    TILL_TOKEN,
    MAIL_URL,
    ...keys,
    TEXTS_AUTHORIZATION: `Bearer ${TEXTS_KEY}`,
  }
  const config = await template('demo.yaml')
  const filled = config.replace(/\$\{(\w+)\}/g, (written, name) => plain[name as keyof typeof plain] ?? written)
  return { config: filled.replace(DEMO_SAYS, SANDBOX_SAYS), secrets, folders: [HUB_VALUES.ERP_FOLDER] }
}

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

/** In quotes: a shell and Node read the same in them, whatever signs a value has. */
function envText(secrets: Record<string, string>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}='${value}'`)
  return `# Read by the hub and by tillbridge. In a shell: set -a; . ./.env; set +a\n${lines.join('\n')}\n`
}

function told(path: string, secrets: Record<string, string>, sandbox: boolean): string {
  const next = sandbox
    ? 'Beside "npm run sandbox" it works as it stands: npm start.'
    : 'Now put in where the platform is, and its keys; "tillbridge check" says what is wrong.'
  return `${path} is the config, .env has its secrets (${Object.keys(secrets).join(', ')}). ${next}`
}

/* What the config of `tillbridge init --sandbox` knows of the sandbox. The two are programs apart: sandbox/values.ts says it again, and a test compares them. */

/** Keys of the sandbox's parts. They are nobody's secrets: everything listens on this machine only, and forgets everything. */
export const SANDBOX_KEYS = {
  PLATFORM_API_KEY: 'sandbox-api-key',
  PLATFORM_SUBSCRIPTION_KEY: 'sandbox-subscription-key',
  SHOP_KEY: 'ck_sandbox',
  SHOP_SECRET: 'cs_sandbox',
  SHOP_WEBHOOK_SECRET: 'sandbox-webhook-secret',
  TEXTS_KEY: 'sandbox-texts-key',
  BUS_SECRET: 'whsec_c2FuZGJveC1zZWNyZXQtb2YtdGhlLWJ1cy0xMjM0NTY=',
}

/** Values for a hub beside the sandbox, under the names that config/demo.yaml has for them; the rest the sandbox tells. */
export const HUB_VALUES = {
  HUB_PORT: '8080',
  HUB_URL: 'http://127.0.0.1:8080',
  STORE_URL: 'file:./data/sandbox.db',
  ERP_FOLDER: './data/erp',
  TILL_TOKEN: 'sandbox-till-token',
}

/** Where the sandbox's parts listen, in the dialect that it speaks if nobody says. */
export const SANDBOX_PLACES = {
  PLATFORM_URL: 'http://127.0.0.1:8091',
  PLATFORM_PRESET: 'spec',
  TRUST_WEBHOOKS: 'false',
  SHOP_URL: 'http://127.0.0.1:8092',
  MAIL_URL: 'smtp://127.0.0.1:8094',
  TEXTS_URL: 'http://127.0.0.1:8095/messages',
  BUS_URL: 'http://127.0.0.1:8096',
}
