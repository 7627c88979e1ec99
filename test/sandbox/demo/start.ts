import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder that the programs of the sandbox are started in. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts a program of the sandbox as a terminal does: at the head of a group of its own. */
export function start(name: 'demo' | 'sandbox', ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['bin/tillbridge.mjs', name, ...args], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
  })
}
