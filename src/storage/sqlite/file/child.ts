import { fork, type Serializable } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Result } from '../../../lib/thread.ts'

interface Options {
  message?: Serializable
  signal?: AbortSignal | undefined
}

/** Runs a script that sends one Result, in a process of its own. */
export function runProcess(script: URL, args: readonly string[], { message, signal }: Options = {}): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const child = fork(fileURLToPath(script), args, { execArgv: [], ...(signal && { signal, killSignal: 'SIGKILL' }) })
  let result: Result | null = null
  child.on('message', (sent: Result) => {
    result = sent
  })
  child.on('error', reject)
  child.on('exit', (code, killed) => {
    if (result !== null) resolve(result)
    else reject(new Error(`${script.pathname} ended early (${killed ?? code}).`))
  })
  if (message !== undefined) child.send(message)
  return promise
}
