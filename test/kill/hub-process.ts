import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { stringify } from 'yaml'
import { freePort } from '../../sandbox/demo/free-port.ts'
import { ROOT, startFlags } from '../../sandbox/demo/start-flags.ts'
import { eventually } from '../eventually.ts'
import { ADMIN_TOKEN, WEBHOOK_TOKEN } from '../hub.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface HubProcessOptions {
  folder: string
  destinations: Record<string, object>
  /** The file that Node runs; the program itself if none is given. */
  entry?: string
  connections?: number
  /** Its store; a file in its folder if none is given. */
  store?: string
  /** Where it listens; a free port if none is given. */
  port?: number
  name?: string
  /** How far its machine's clock is off (milliseconds). */
  clockOff?: number
  /** It may not come to be ready: nobody waits for that. */
  isHopeless?: true
}

const CLOCK = fileURLToPath(new URL('./wrong-clock.mjs', import.meta.url))

/** What `GET /admin/status` says of a queue. */
interface QueueStatus {
  name: string
  waiting: number
  held: number
  dead: number
  inFlight: number
}

/** A hub in a process of its own, as `npm start` starts it. */
export interface HubProcess extends AsyncDisposable {
  url: string
  readonly exited: boolean
  /** Posts a webhook; the status, or a rejection if no answer came. */
  post(kind: string, body: unknown): Promise<number>
  /** The same, under the platform's id of the event; the whole answer. */
  postAs(eventId: string, kind: string, body: unknown): Promise<{ status: number; id: number }>
  admin<Body>(path: string): Promise<Body>
  queues(): Promise<QueueStatus[]>
  /** Waits until nothing waits and nothing is under way. */
  untilIdle(within?: number): Promise<void>
  /** `SIGSTOP` and `SIGCONT`: it stands still, and goes on as if nothing had been. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  log(): string
  /** Sends a signal and waits for the end; the exit code, or null after a signal that kills. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export async function startHubProcess(options: HubProcessOptions): Promise<HubProcess> {
  const { folder, destinations, entry = MAIN, connections = 64, name = 'tillbridge', clockOff = 0 } = options
  const configPath = join(folder, `${name}.yaml`)
  const port = options.port ?? (await freePort())
  const config = {
    server: { host: '127.0.0.1', port, adminToken: `\${ADMIN_TOKEN}` },
    store: { url: options.store ?? `file:${join(folder, 'tillbridge.db')}` },
    platform: { webhooks: { tokens: [`\${WEBHOOK_TOKEN}`], eventIdHeader: 'x-event-id' } },
    destinations,
  }
  await writeFile(configPath, stringify(config))
  const wrongClock = clockOff === 0 ? [] : ['--import', CLOCK]
  const child = spawn(process.execPath, [...startFlags(), ...wrongClock, entry], {
    cwd: ROOT,
    env: { ...process.env, TILLBRIDGE_CONFIG: configPath, ADMIN_TOKEN, WEBHOOK_TOKEN, CLOCK_OFF: String(clockOff) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const agent = new Agent({ connections, pipelining: 1 })
  const logged: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => logged.push(chunk))
  const url = `http://127.0.0.1:${port}`
  if (!options.isHopeless)
    await untilReady(child, url).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }

  async function admin<Body>(path: string): Promise<Body> {
    const answer = await request(`${url}/admin/${path}`, { dispatcher: agent, headers })
    return (await answer.body.json()) as Body
  }

  async function post(kind: string, body: unknown, more: Record<string, string> = {}) {
    const answer = await request(`${url}/webhooks/${kind}?token=${WEBHOOK_TOKEN}`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })
    const { id } = (await answer.body.json()) as { id: number }
    return { status: answer.statusCode, id }
  }

  async function queues(): Promise<QueueStatus[]> {
    return (await admin<{ destinations: QueueStatus[] }>('status')).destinations
  }

  async function stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit')
      child.kill(signal)
      await exit
    }
    return child.exitCode
  }

  return {
    url,
    get exited() {
      return child.exitCode !== null || child.signalCode !== null
    },
    async post(kind, body) {
      return (await post(kind, body)).status
    },
    postAs: (eventId, kind, body) => post(kind, body, { 'x-event-id': eventId }),
    signal: (signal) => void child.kill(signal),
    log: () => Buffer.concat(logged).toString(),
    admin,
    queues,
    async untilIdle(within = 30_000) {
      await eventually(async () => {
        const busy = (await queues()).filter(({ waiting, inFlight }) => waiting > 0 || inFlight > 0)
        if (busy.length > 0) throw new Error(`still busy: ${JSON.stringify(busy)}`)
      }, within)
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL')
      await agent.destroy()
    },
  }
}

/** Its log arrives in blocks, so its health is what tells that it listens. */
async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let output = ''
  const read = (chunk: Buffer) => {
    output = (output + chunk).slice(-4_000)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  const ready = eventually(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return true
    const { statusCode, body } = await request(`${url}/health/ready`)
    await body.dump()
    return statusCode === 200
  })
  await ready
  if (child.exitCode !== null) throw new Error(`The hub ended with ${child.exitCode}: ${output}`)
}
