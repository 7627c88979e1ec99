import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder that the programs of the sandbox are started in. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export const PROGRAMS = { demo: 'sandbox/demo/demo.ts', sandbox: 'sandbox/main.ts' }

/** Starts a program of the sandbox as a terminal does: at the head of a group of its own. */
export function start(name: keyof typeof PROGRAMS, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAMS[name], ...args], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
  })
}
