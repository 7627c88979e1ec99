import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Line, Work } from './work.ts'

/** A process may take so long until it begins (milliseconds). */
const START = 180_000

/** The folder of a run, the top of the project, and how many mutants its files are woven with. */
export interface Place {
  folder: string
  root: string
  count: number
}

/**
 * Has one process do some work, and reads what it writes. A process that stays with something for longer than it said it would is ended
 * with its children; `late` is what it was at. Gives back whether it ended by itself.
 */
export async function runProcess(
  { folder, root, count }: Place,
  name: string,
  work: Omit<Extract<Work, { type: 'meet' }>, 'lines'> | Omit<Extract<Work, { type: 'judge' }>, 'lines'>,
  take: (line: Line) => void,
): Promise<{ late: string | null }> {
  const lines = join(folder, `${name}-${process.pid}.lines`)
  const path = join(folder, `${name}-${process.pid}.json`)
  rmSync(lines, { force: true })
  writeFileSync(path, JSON.stringify({ ...work, lines }))
  const env = {
    ...process.env,
    MUTATION_FOLDER: folder,
    MUTATION_ROOT: root,
    MUTATION_COUNT: String(count),
    MUTATION_WORK: path,
    NODE_COMPILE_CACHE: undefined,
  }
  const program = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [program, 'run', '--config', 'vitest.mutation.config.ts'], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (part) => {
    said = `${said}${part}`.slice(-4_000)
  })
  const reader = createReader(lines)
  let [what, until] = ['the start', Date.now() + START]
  let [hasEnded, hasBegun] = [false, false]
  const takeAll = () => {
    for (const line of reader()) {
      if (line.type === 'ended') hasEnded = true
      if (line.type === 'begun') [what, until, hasBegun] = [line.what, Date.now() + line.budget, true]
      take(line)
    }
  }
  try {
    while (!isOver(child)) {
      await wait(100)
      takeAll()
      if (hasEnded) return { late: null }
      if (Date.now() > until) return { late: what }
    }
    takeAll()
    if (hasEnded) return { late: null }
    if (!hasBegun) throw new Error(`The tests could not be started.\n${said}`)
    // It died of what it was at.
    return { late: what }
  } finally {
    await end(child)
    for (const left of [lines, path]) rmSync(left, { force: true })
  }
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Ends a process and those that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has gone already.
  }
  while (!isOver(child)) await wait(20)
}

/** Reads the lines that were added since the last time. */
function createReader(path: string): () => Line[] {
  let read = 0
  return () => {
    if (!existsSync(path)) return []
    const bytes = readFileSync(path)
    const last = bytes.lastIndexOf(10)
    if (last < read) return []
    const text = bytes.subarray(read, last).toString('utf8')
    read = last + 1
    return text.split('\n').map((line) => JSON.parse(line) as Line)
  }
}
