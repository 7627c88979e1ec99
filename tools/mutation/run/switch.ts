import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/*
 * Loaded before everything else in the process that runs tests, and in each of its threads: they share which mutant is at work,
 * and which were met. Threads load src by Node itself, so the woven files are handed to Node here; tests get them by plugin.ts.
 */

/** Which mutant is at work (-1: none), and a byte for each that was met. */
export interface Switch {
  active: Int32Array
  met: Uint8Array
}

const NAME = 'mutation'
const folder = process.env.MUTATION_FOLDER ?? ''
const root = process.env.MUTATION_ROOT ?? ''

const shared = (getEnvironmentData(NAME) as unknown as { active: SharedArrayBuffer; met: SharedArrayBuffer }) ?? {
  active: new SharedArrayBuffer(4),
  met: new SharedArrayBuffer(Number(process.env.MUTATION_COUNT)),
}
setEnvironmentData(NAME, shared as unknown as Parameters<typeof setEnvironmentData>[1])

const active = new Int32Array(shared.active)
const met = new Uint8Array(shared.met)

Object.assign(globalThis, {
  $m(id: number): boolean {
    met[id] = 1
    return active[0] === id
  },
  $mutation: { active, met } satisfies Switch,
})

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
    const woven = join(folder, 'woven', relative(root, fileURLToPath(url)))
    if (!existsSync(woven)) return next(url, context)
    return { format: 'module', shortCircuit: true, source: readFileSync(woven, 'utf8') }
  },
})
