import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Result } from '../../../lib/thread.ts'

const SCRIPT = fileURLToPath(new URL('./migrate-process.ts', import.meta.url))

export function migrateFile(path: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = fork(SCRIPT, [path], { execArgv: [] })
    child.on('message', (result: Result) => resolve(result))
    child.on('error', reject)
    child.on('exit', (code, signal) => reject(new Error(`Migrating ${path} ended early (${signal ?? code}).`)))
  })
}
