import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Parts, startHub } from '../../src/app/hub.ts'
import { readConfig } from '../../src/app/read-config.ts'
import { located } from '../../src/config/load.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { fileOf, isPostgres } from '../../src/storage/open.ts'
import { writeEmptyStore } from '../empty-store.ts'
import { ADMIN_TOKEN, type Line, WEBHOOK_TOKEN } from '../hub.ts'
import { startWarmThread } from '../warm-threads.ts'

/** Sections of a config in YAML, each whole; what is not given is as small as it may be. */
export interface Sections {
  server?: string
  store?: string
  platform?: string
  /** What stands below `webhooks`. */
  webhooks?: string
  lookups?: string
  destinations?: string
  more?: string
}

/** A config file in a folder of its own, as an operator has it. */
export interface WrittenConfig extends AsyncDisposable {
  folder: string
  path: string
  env: Record<string, string>
  write(sections: Sections): Promise<void>
}

export const SECRETS = {
  ADMIN_TOKEN,
  WEBHOOK_TOKEN,
  LOOKUP_TOKEN: 'lookup-token-of-the-tests',
  SMTP_URL: 'smtp://127.0.0.1:2525',
  API_KEY: 'key-of-the-user',
  SUBSCRIPTION_KEY: 'key-of-the-company',
  SHOP_PASSWORD: 'password-of-the-shop',
  SHORT: 'too-short',
}

const WEBHOOKS = `tokens: ["\${WEBHOOK_TOKEN}"]`

/** Lines of a section are given without their indentation, and stand two blanks deep. */
export async function writtenConfig(sections: Sections = {}): Promise<WrittenConfig> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-written-'))
  const path = join(folder, 'tillbridge.yaml')
  const write = (given: Sections) => writeFile(path, textOf(given, folder))
  await write(sections)
  return {
    folder,
    path,
    env: { ...SECRETS, TILLBRIDGE_CONFIG: path },
    write,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

function textOf({ server, store, platform, webhooks, lookups, destinations, more }: Sections, folder: string): string {
  const section = (name: string, lines: string) => `${name}:\n${deeper(lines)}`
  return [
    section('server', server ?? `host: 127.0.0.1\nport: 0\nadminToken: \${ADMIN_TOKEN}`),
    section('store', store ?? `url: file:${join(folder, 'hub.db')}`),
    section('platform', `${platform ?? 'trustWebhooks: true'}\nwebhooks:\n${deeper(webhooks ?? WEBHOOKS)}`),
    ...(lookups === undefined ? [] : [section('lookups', lookups)]),
    ...(destinations === undefined ? [] : [section('destinations', destinations)]),
    ...(more === undefined ? [] : [more]),
    '',
  ].join('\n')
}

function deeper(lines: string): string {
  return lines.trim().replace(/^(?=.)/gm, '  ')
}

/** What a start is refused with, as the program writes it; a start that is not refused is an error. */
export async function startedWith(env: Record<string, string>): Promise<string> {
  const started = await start(env).catch((error: Error) => error)
  if (started instanceof Error) return started.message
  await started[Symbol.asyncDispose]()
  throw new Error('The hub has started.')
}

/** Starts a hub as the program does, in this process. `env` is read again at each reload. */
export async function startWritten(env: Record<string, string>, parts: Parts = {}) {
  const { url } = (await readConfig({ ...env })).config.store
  if (!isPostgres(url)) await writeEmptyStore(fileOf(url))
  return await start(env, parts)
}

async function start(env: Record<string, string>, parts: Parts = {}) {
  const lines: Line[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const read = () => readConfig({ ...env })
  const loaded = await read()
  const given = { logger, read, startThread: startWarmThread, ...parts }
  const hub = await startHub(loaded.config, loaded.folder, given).catch((error: unknown) => {
    throw located(error, loaded)
  })
  return { ...hub, lines, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() }
}
