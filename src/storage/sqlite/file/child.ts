import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Result } from '../../../lib/thread.ts'
import type { Tasks } from './process.ts'

const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url))

/** Runs a task (process.ts) in a process of its own, which a signal ends. */
export function runProcess<Task extends keyof Tasks>(
  task: Task,
  args: Parameters<Tasks[Task]>,
  signal?: AbortSignal,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const child = fork(SCRIPT, [task], { execArgv: [], ...(signal && { signal, killSignal: 'SIGKILL' }) })
  let result: Result | null = null
  child.on('message', (sent: Result) => {
    result = sent
  })
  child.on('error', reject)
  child.on('exit', (code, killed) => {
    if (result !== null) resolve(result)
    else reject(new Error(`The process of "${task}" ended early (${killed ?? code}).`))
  })
  child.send([...args], () => undefined)
  return promise
}
