import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'

/** A folder for a rehearsal: it holds payloads, so that nobody else may read it, and it goes when that is over. Throws a UserError. */
export function temporaryFolder(within = tmpdir()): Disposable & { path: string } {
  const path = made(join(resolve(within), 'tillbridge-rehearsal-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

function made(beginning: string): string {
  try {
    return mkdtempSync(beginning)
  } catch (cause) {
    throw new UserError(`--in: nothing can be made there (${cause instanceof Error ? cause.message : cause}).`, {
      cause,
    })
  }
}
