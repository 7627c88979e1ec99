import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { HubProcess } from '../../../../sandbox/demo/hub-process.ts'
import { ROOT, startFlags } from '../../../../sandbox/demo/start-flags.ts'
import type { TestClock } from '../../../clock.ts'
import { programEnv } from '../../../program-env.ts'

const ENTRY = fileURLToPath(new URL('./hub-at-speed.ts', import.meta.url))
const CLOCK = fileURLToPath(new URL('./machine-clock.mjs', import.meta.url))

/** A hub in a process of its own, at the clock of the test. */
export interface SteeredHub extends HubProcess {
  readonly isUp: boolean
  /** It becomes later, here and there. A hub that is off sees it when it starts. */
  later(ms: number): Promise<void>
  start(): Promise<void>
  kill(): Promise<void>
}

/** Gets a hub ready that is not started yet. `env`: the values for its config's placeholders. */
export function steeredHub(folder: string, url: string, env: Record<string, string>, clock: TestClock): SteeredHub {
  const log = join(folder, 'hub.log')
  let child: ChildProcess | null = null

  async function start(): Promise<void> {
    const output = openSync(log, 'a')
    const own = spawn(process.execPath, [...startFlags(), '--import', CLOCK, ENTRY], {
      cwd: ROOT,
      env: programEnv({ ...env, AHEAD: String(clock.now() - Date.now()) }),
      stdio: ['ignore', output, output, 'ipc'],
    })
    const ended = once(own, 'exit').then(() => 'ended')
    const started = once(own, 'message').then(() => 'started')
    if ((await Promise.race([started, ended])) === 'ended')
      throw new Error(`The hub did not start. It said:\n${readFileSync(log, 'utf8').slice(-4_000)}`)
    child = own
  }

  async function kill(): Promise<void> {
    if (child === null) return
    const own = child
    child = null
    const ended = once(own, 'exit')
    own.kill('SIGKILL')
    await ended
  }

  return {
    url,
    log,
    get isUp() {
      return child !== null
    },
    start,
    kill,
    async killAndRestart() {
      await kill()
      await start()
    },
    async later(ms) {
      clock.advance(ms)
      if (child === null) return
      const done = once(child, 'message')
      child.send(ms)
      await done
    },
    async admin<Body>(path: string, post?: object): Promise<Body> {
      const answer = await request(`${url}/admin/${path}`, {
        method: post ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: post ? JSON.stringify(post) : null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`The hub said ${answer.statusCode} to /admin/${path}: ${text}`)
      return JSON.parse(text) as Body
    },
    [Symbol.asyncDispose]: kill,
  }
}
