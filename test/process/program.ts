import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { eventually } from '../eventually.ts'
import { ADMIN_TOKEN, type Line, WEBHOOK_TOKEN } from '../hub.ts'
import { programEnv } from '../program-env.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** `node src/main.ts` in a process of its own. */
export interface Program extends AsyncDisposable {
  child: ChildProcess
  out(): string
  err(): string
  lines(): Line[]
  ended(): Promise<number | null>
}

/** Starts the program with this environment and nothing else of ours. */
export function startProgram(
  env: Record<string, string>,
  { cwd = ROOT, stdout = 'pipe' }: { cwd?: string; stdout?: 'pipe' | number } = {},
): Program {
  const child = spawn(process.execPath, [MAIN], { cwd, env: programEnv(env), stdio: ['pipe', stdout, 'pipe'] })
  const exit = once(child, 'close')
  let out = ''
  let err = ''
  child.stdout?.on('data', (bytes) => {
    out += bytes
  })
  child.stderr?.on('data', (bytes) => {
    err += bytes
  })
  return {
    child,
    out: () => out,
    err: () => err,
    lines: () =>
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ended: async () => (await exit)[0],
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

export async function writeConfig(folder: string, yaml: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'tillbridge.yaml')
  await writeFile(path, yaml)
  return path
}

/** The environment of a hub with a config of its own. */
export async function configured(
  place: string,
  { port = '0', folder = place, destinations = '' } = {},
): Promise<Record<string, string>> {
  const path = await writeConfig(
    place,
    `server: { host: 127.0.0.1, port: ${port}, adminToken: "\${ADMIN_TOKEN}" }
store: { url: "file:${join(folder, 'tillbridge.db')}" }
platform: { webhooks: { tokens: ["\${WEBHOOK_TOKEN}"] } }
destinations: {${destinations && ` ${destinations} `}}
`,
  )
  return { TILLBRIDGE_CONFIG: path, ADMIN_TOKEN, WEBHOOK_TOKEN }
}

export async function addressOf(program: Program): Promise<string> {
  return await eventually(() => {
    const line = program.lines().find(({ msg }) => msg === 'hub.started')
    if (!line) throw new Error(`It does not say where it listens: ${program.out()}${program.err()}`)
    return String(line.url)
  })
}

export async function statusOf(url: string): Promise<number> {
  const { statusCode, body } = await request(url)
  await body.dump()
  return statusCode
}
