import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '../eventually.ts'

/** A terminal of somebody who types what a page says, in a network of its own: the ports that pages name are free there. */
export interface Terminal extends AsyncDisposable {
  /** Types a command, and waits until it has ended. */
  type(command: string): Promise<{ code: number; out: string }>
  /** Types one that goes on, and waits until it has said that it is open. */
  leave(command: string): Promise<Running>
}

export interface Running {
  out(): string
  interrupt(): Promise<void>
}

const OPEN = /Ctrl-C ends it|"msg":"hub\.started"/
const DONE = '--- done: '
/** Downloads and a demo take as long as they take (milliseconds). */
const TIMEOUT_MS = 600_000

interface Network extends Disposable {
  /** What stands before a command that is to run in it. */
  enter: readonly string[]
}

/** Of this machine, where nobody may make another one: then the ports must be free. */
export async function openNetwork(): Promise<Network> {
  const holder = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec sleep infinity'])
  const isUp = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'close')
      .catch(() => null)
      .then(() => false),
  ])
  return {
    enter: isUp ? ['nsenter', '-t', String(holder.pid), '-n', '--'] : [],
    [Symbol.dispose]: () => void holder.kill('SIGKILL'),
  }
}

/** Opens a terminal in a folder. `enter` of the network is left out where something must be downloaded. */
export function openTerminal(folder: string, enter: readonly string[]): Terminal {
  const started: ChildProcess[] = []

  function begin(args: readonly string[]): { child: ChildProcess; out: () => string } {
    const [program = '', ...rest] = [...enter, 'bash', '--noprofile', '--norc', ...args]
    const child = spawn(program, rest, { cwd: folder, env: plainEnv(), detached: true })
    started.push(child)
    let out = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes) => {
        out += bytes
      })
    return { child, out: () => out }
  }

  const shell = begin([])
  shell.child.stdin?.write('exec 2>&1\n')
  let seen = 0

  return {
    async type(command) {
      shell.child.stdin?.write(`${command}\nprintf '\\n${DONE}%s\\n' $?\n`)
      const end = await eventually(() => {
        const found = shell.out().indexOf(`\n${DONE}`, seen)
        const line = /\n--- done: (\d+)\n/.exec(shell.out().slice(Math.max(found, seen)))
        if (found < 0 || !line) throw new Error(`It has not ended: ${command}\n${shell.out().slice(seen)}`)
        return { found, code: Number(line[1]), length: line[0].length }
      }, TIMEOUT_MS)
      const out = shell.out().slice(seen, end.found)
      seen = end.found + end.length
      return { code: end.code, out }
    },
    async leave(command) {
      const { child, out } = begin(['-c', command])
      const open = eventually(() => OPEN.test(out()), TIMEOUT_MS)
      await Promise.race([open, once(child, 'close')])
      if (!OPEN.test(out())) throw new Error(`${command} is not open. It said:\n${out()}`)
      return {
        out,
        async interrupt() {
          const ended = once(child, 'close')
          // As a terminal does: to all that run in it.
          process.kill(-(child.pid ?? 0), 'SIGINT')
          await ended
        },
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { pid, exitCode, signalCode } of started)
        if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    },
  }
}

/** What a person's shell has, and nothing that npm or a test put there. */
function plainEnv(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  return { PATH: path.join(':'), HOME: process.env.HOME, NO_COLOR: '1', LANG: 'C.UTF-8', TZ: 'UTC' }
}
