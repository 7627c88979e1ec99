import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../sandbox/demo/free-port.ts'
import { ROOT, startFlags } from '../sandbox/demo/start-flags.ts'
import { createHubClient, type HubClient } from './hub-client.ts'
import type { Bench } from './part.ts'

export interface HubSetup {
  /** Destinations by name; the http adapter posts to these. */
  destinations: Record<string, { port: number; publish: string[] }>
  /** Where it carries what own systems submit. */
  platform?: { baseUrl: string; apiKey: string; subscriptionKey: string; preset?: 'frontsystems-v2' }
  /** The platform reaches it at its own address: subscriptions of that address are its own. */
  isReached?: boolean
  /** Destinations of other adapters, and what POS may ask, as an operator writes them. */
  others?: Record<string, object>
  lookups?: object
  /** Other sections of its config. */
  more?: object
  /** The address of a store that is there already. */
  storeUrl?: string
  /** A hub that runs already: this one shares its store, and its secrets. */
  beside?: HubProcess
  /** The command that starts Node, such as one that limits its memory first. */
  through?: readonly string[]
  /** The folder that its own is made in, in place of the system's for temporary files. */
  within?: string
  /** Variables that its config names, besides the secrets that are drawn. */
  env?: Record<string, string>
}

/** The real hub, started as `npm start` does, on a database or a schema of its own. */
export interface HubProcess extends HubClient, AsyncDisposable {
  storeUrl: string
  /** It has not ended. */
  isAlive(): boolean
  /** For how long its main thread ran, and for how long it waited for a processor (milliseconds); 0 where there is no /proc. */
  turns(): { ran: number; waited: number }
  /** Processor time of all its threads since it was started last (seconds); NaN where there is no /proc. */
  cpuSeconds(): number
  /** How many pages of memory it was given so far; 0 where there is no /proc. */
  newPages(): number
  /** What it has logged so far: warnings and errors. */
  logged(): string
  secrets: ReturnType<typeof drawSecrets>
  /** Memory as the system sees it; NaN where there is no /proc. */
  rssMb(): number
  /** The most that it ever was, since it was started last. */
  peakMb(): number
  /** `kill -9`, and the same again on the same store; what is done `between` has the store for itself. */
  killAndRestart(between?: () => Promise<void>): Promise<void>
}

const START_SECONDS = 60
const STOP_SECONDS = 12

/** Of the clock that Linux counts processor time by, a second. */
const TICKS = 100

/** On what `--store` names, else on a file. */
export async function startHub(
  { main, postgres }: Pick<Bench, 'main' | 'postgres'>,
  setup: HubSetup,
): Promise<HubProcess> {
  const folder = mkdtempSync(join(setup.within ?? tmpdir(), 'tillbridge-bench-'))
  const port = await freePort()
  const { beside, platform } = setup
  const secrets = beside?.secrets ?? drawSecrets()
  const given = setup.storeUrl ?? beside?.storeUrl
  const schema = given ? null : (postgres?.newSchema() ?? null)
  const storeUrl = given ?? schema?.url ?? `file:${join(folder, 'tillbridge.db')}`
  const config = join(folder, 'tillbridge.yaml')
  writeFileSync(config, JSON.stringify(configure(setup, storeUrl, port), null, 2))
  const log = join(folder, 'hub.log')
  const output = openSync(log, 'a')
  const [command = '', ...args] = [...(setup.through ?? []), process.execPath, ...startFlags(), main]
  const start = () =>
    spawn(command, args, {
      cwd: ROOT,
      env: {
        ...process.env,
        ...secrets,
        ...setup.env,
        PLATFORM_API_KEY: platform?.apiKey,
        PLATFORM_SUBSCRIPTION_KEY: platform?.subscriptionKey,
        TILLBRIDGE_CONFIG: config,
      },
      stdio: ['ignore', output, output],
    })
  let child = start()
  const clean = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  // Before its schema is dropped, which a hub that goes on would hinder.
  process.prependOnceListener('exit', clean)
  const client = createHubClient(port, secrets.ADMIN_TOKEN, secrets.WEBHOOK_TOKEN)
  const dispose = async () => {
    await client[Symbol.asyncDispose]()
    if (!hasEnded(child)) await stop(child)
    clean()
    process.off('exit', clean)
    schema?.[Symbol.dispose]()
  }
  if (!(await becomesReady(child, client))) {
    const said = tail(log)
    await dispose()
    throw new Error(
      `The hub (${main}) did not become ready (${child.exitCode === null ? 'no answer' : `exit code ${child.exitCode}`}). It said:\n${said}`,
    )
  }
  const watch = (watched: ChildProcess) =>
    watched.once('exit', (code, signal) => {
      if (!watched.killed) console.error(`The hub ended by itself (${signal ?? code}). It said:\n${tail(log)}`)
    })
  watch(child)
  const killAndRestart = async (between?: () => Promise<void>) => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    await between?.()
    child = start()
    watch(child)
    if (!(await becomesReady(child, client))) throw new Error(`The hub did not come back. It said:\n${tail(log)}`)
  }
  const rssMb = () => memoryMb(child.pid, 'VmRSS')
  const peakMb = () => memoryMb(child.pid, 'VmHWM')
  const isAlive = () => !hasEnded(child)
  const logged = () => readFileSync(log, 'utf8')
  const cpuSeconds = () => cpuSecondsOf(child.pid)
  const turns = () => turnsOf(child.pid)
  const newPages = () => pagesOf(child.pid)
  const seen = { isAlive, logged, turns, cpuSeconds, newPages, rssMb, peakMb }
  return { ...client, ...seen, storeUrl, secrets, killAndRestart, [Symbol.asyncDispose]: dispose }
}

/** JSON is YAML. */
function configure(
  { destinations, platform, isReached, others = {}, lookups = {}, more = {} }: HubSetup,
  storeUrl: string,
  port: number,
): object {
  const queue = { concurrency: 64, timeout: '20s' }
  return {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: placeholders that the hub fills
    server: {
      ...{ port, host: '127.0.0.1', adminToken: '${ADMIN_TOKEN}' },
      ...(isReached && { publicUrl: `http://127.0.0.1:${port}` }),
    },
    store: { url: storeUrl },
    platform: {
      webhooks: { tokens: ['${WEBHOOK_TOKEN}'], eventIdHeader: 'x-event-id' },
      ...(platform && {
        baseUrl: platform.baseUrl,
        apiKey: '${PLATFORM_API_KEY}',
        subscriptionKey: '${PLATFORM_SUBSCRIPTION_KEY}',
        ...(platform.preset && { preset: platform.preset }),
      }),
    },
    destinations: {
      ...Object.fromEntries(
        Object.entries(destinations).map(([name, { port: sinkPort, publish }]) => {
          const url = `http://127.0.0.1:${sinkPort}/`
          return [name, { adapter: 'http', url, secret: '${BUS_SECRET}', publish, queue }]
        }),
      ),
      ...others,
    },
    lookups,
    ...more,
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: placeholders that the hub fills
    log: { level: 'warn' },
  }
}

function drawSecrets() {
  return {
    ADMIN_TOKEN: randomBytes(16).toString('hex'),
    WEBHOOK_TOKEN: randomBytes(16).toString('hex'),
    POS_TOKEN: randomBytes(16).toString('hex'),
    BUS_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
  }
}

async function becomesReady(child: ChildProcess, client: HubClient): Promise<boolean> {
  const deadline = performance.now() + START_SECONDS * 1000
  while (performance.now() < deadline && !hasEnded(child)) {
    if (await client.isReady()) return true
    await sleep(50)
  }
  return false
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
  await exited
  clearTimeout(patience)
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function tail(log: string): string {
  return readFileSync(log, 'utf8').slice(-2_000)
}

function memoryMb(pid: number | undefined, what: 'VmRSS' | 'VmHWM'): number {
  try {
    return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

function turnsOf(pid: number | undefined): { ran: number; waited: number } {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return { ran: ran / 1e6, waited: waited / 1e6 }
  } catch {
    return { ran: 0, waited: 0 }
  }
}

function pagesOf(pid: number | undefined): number {
  return Number(statOf(pid)[7] ?? 0)
}

function cpuSecondsOf(pid: number | undefined): number {
  const [user, system] = statOf(pid).slice(11, 13).map(Number)
  return ((user ?? Number.NaN) + (system ?? Number.NaN)) / TICKS
}

/** What the system tells of a process behind the name of its program, which may hold anything; none where there is no /proc. */
function statOf(pid: number | undefined): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
