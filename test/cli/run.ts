import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ADMIN_TOKEN, type TestHub } from '../hub.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How a command ended. */
export interface Ran {
  code: number
  out: string
  err: string
}

/** Runs the command line as an operator does, in a process of its own. */
export function tillbridge(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...env } }
    execFile(process.execPath, ['src/cli/tillbridge.ts', ...args], options, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err })
    })
  })
}

/** Runs it against a hub of the tests. */
export function asking(hub: TestHub) {
  return (...args: string[]) => tillbridge(args, { TILLBRIDGE_URL: hub.url, TILLBRIDGE_ADMIN_TOKEN: ADMIN_TOKEN })
}
