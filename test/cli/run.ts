import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { runProgram } from '../../src/cli/program.ts'
import { ADMIN_TOKEN, type TestHub } from '../hub.ts'
import { programEnv } from '../program-env.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Ran {
  code: number
  out: string
  err: string
}

/** Runs the command line in this process, which is much quicker than one of its own. One at a time. */
export async function tillbridge(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const before = { env: process.env, code: process.exitCode }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text) => {
      out += `${text}\n`
    }),
    vi.spyOn(console, 'error').mockImplementation((text) => {
      err += `${text}\n`
    }),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += text
      return true
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      err += text
      return true
    }),
  ]
  process.env = { PATH: before.env.PATH, NO_COLOR: '1', ...env }
  try {
    process.exitCode = 0
    await runProgram(args)
    return { code: Number(process.exitCode), out, err }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = before.code
    process.env = before.env
  }
}

/** Runs it as an operator does, in a process of its own. */
export function tillbridgeProcess(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: programEnv({ NO_COLOR: '1', ...env }) }
    execFile(process.execPath, ['bin/tillbridge.mjs', ...args], options, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
  })
}

/** Runs it against a hub of the tests. `env`: what else the machine has on which it is typed, such as the hub's config. */
export function asking({ url }: Pick<TestHub, 'url'>, env: Record<string, string> = {}) {
  return (...args: string[]) => tillbridge(args, { ...env, TILLBRIDGE_URL: url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
}
