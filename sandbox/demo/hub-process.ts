import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { HUB, ROOT, startFlags } from './start-flags.ts'

/** The real hub, in a process of its own, so that it can be killed. */
export interface HubProcess extends AsyncDisposable {
  readonly url: string
  /** The file that the hub's log goes to. */
  readonly log: string
  /** `kill -9`, and the same again on the same file, with these values besides, if any. */
  killAndRestart(besides?: Record<string, string>): Promise<void>
  /** Asks `/admin/…`; with `post` it posts. Rejects with what the hub said, if that is no success. */
  admin<Body>(path: string, post?: object): Promise<Body>
}

const READY_MS = 60_000
const STOP_MS = 12_000

/** Starts it as `npm start` does, with this config and these values for its placeholders, and waits until it is ready. */
export async function startHub(folder: string, port: number, env: Record<string, string>): Promise<HubProcess> {
  const url = `http://127.0.0.1:${port}`
  const log = join(folder, 'hub.log')
  const start = (besides: Record<string, string> = {}) => {
    const output = openSync(log, 'a')
    return spawn(process.execPath, [...startFlags(), HUB], {
      cwd: ROOT,
      env: { ...process.env, ...env, ...besides },
      stdio: ['ignore', output, output],
    })
  }
  let child = start()
  let isOver = false
  await ready(child, url, log)

  return {
    url,
    log,
    async killAndRestart(besides) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      if (isOver) return
      child = start(besides)
      await ready(child, url, log)
    },
    async admin<Body>(path: string, post?: object): Promise<Body> {
      const answer = await request(`${url}/admin/${path}`, {
        method: post ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${env.ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: post ? JSON.stringify(post) : null,
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`The hub said ${answer.statusCode} to /admin/${path}: ${text}`)
      return (text === '' ? undefined : JSON.parse(text)) as Body
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(patience)
    },
  }
}

async function ready(child: ChildProcess, url: string, log: string): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const status = await request(`${url}/health/ready`).then(
      async ({ statusCode, body }) => {
        await body.dump()
        return statusCode
      },
      () => null,
    )
    if (status === 200) return
    await sleep(25)
  }
  throw new Error(`The hub did not become ready. It said:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
}
