import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { UserError } from '../../domain/values/errors.ts'
import type { RehearsalOf } from '../../hub/rehearsal/shadowed.ts'
import { EndedError } from '../shared/ended.ts'
import { EXIT } from '../shared/exit-codes.ts'

const SCRIPT = fileURLToPath(new URL('./hub-process.ts', import.meta.url))
const ROOT = join(import.meta.dirname, '..', '..', '..')

/** Node takes no types away there. */
const NO_HUB =
  'A rehearsal starts a hub, which runs from a checkout of Tillbridge or from its image; what npm installed is its command line alone.'

/** How long it may take to stop before it is killed (milliseconds). */
const STOP = 15_000

/** A hub that is rehearsed, in a process of its own. */
export interface RehearsedHub extends AsyncDisposable {
  /** Where it listens; another after each start. */
  url(): string
  /** Aborted when it ended by itself, or did not start again; the reason says why. */
  ended: AbortSignal
  /** `kill -9`, and the same again on the same store. */
  killAndRestart(): Promise<void>
  /** In order: what is under way is finished. */
  stop(): Promise<void>
}

interface Options {
  env: NodeJS.ProcessEnv
  given: RehearsalOf
  /** The file that its log goes to. */
  log: string
}

/** Starts it. Throws a UserError with what it said, where it does not start. */
export async function startRehearsedHub({ env, given, log }: Options): Promise<RehearsedHub> {
  if (import.meta.dirname.includes(`${sep}node_modules${sep}`)) throw new UserError(NO_HUB)
  const over = new AbortController()
  let isMeant = false
  let child = start()
  let url = await started(child)

  function start(): ChildProcess {
    const output = openSync(log, 'a', 0o600)
    return fork(SCRIPT, { env, execArgv: flags(), stdio: ['ignore', output, output, 'ipc'] })
  }

  async function started(process: ChildProcess): Promise<string> {
    const said = Promise.withResolvers<string>()
    process.on('message', (message: { url?: string; problem?: string }) => {
      if (message.url !== undefined) said.resolve(message.url)
      else said.reject(new UserError(`The rehearsed hub does not start: ${message.problem}`))
    })
    process.on('error', said.reject)
    process.once('exit', (code, signal) => {
      const why = new EndedError(`The rehearsed hub ended by itself (${signal ?? code}): ${lastOf(log)}`, EXIT.problem)
      if (!isMeant) over.abort(why)
      said.reject(why)
    })
    process.send(given)
    return await said.promise
  }

  async function end(how: () => void): Promise<void> {
    isMeant = true
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    how()
    await ended
  }

  return {
    url: () => url,
    ended: over.signal,
    async killAndRestart() {
      await end(() => child.kill('SIGKILL'))
      isMeant = false
      child = start()
      url = await started(child)
    },
    async stop() {
      const late = setTimeout(() => child.kill('SIGKILL'), STOP)
      await end(() => child.send('stop'))
      clearTimeout(late)
    },
    [Symbol.asyncDispose]: () => end(() => child.kill('SIGKILL')),
  }
}

/** Flags of Node when it runs a hub (`npm start`). */
function flags(): string[] {
  const written = JSON.parse(readFileSync(join(ROOT, 'tools', 'start-flags.json'), 'utf8')) as string[]
  return written.map((flag) => (flag.startsWith('./') ? pathToFileURL(join(ROOT, flag)).href : flag))
}

function lastOf(log: string): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-3).join('\n')
}
