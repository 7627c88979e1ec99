import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'

/** Deleted when disposed, unless kept. */
export interface NewFile extends AsyncDisposable {
  /** Writes, syncs and keeps it. Throws a UserError. */
  write(text: string): Promise<void>
  keep(): void
}

/** Never overwrites. Throws a UserError. */
export async function createNewFile(path: string, mode = 0o600): Promise<NewFile> {
  const file = await inWords(path, open(path, 'wx', mode))
  let isKept = false
  return {
    async write(text) {
      await inWords(path, file.writeFile(text))
      await inWords(path, file.sync())
      isKept = true
    },
    keep() {
      isKept = true
    },
    async [Symbol.asyncDispose]() {
      await file.close()
      if (!isKept) await rm(path, { force: true })
    },
  }
}

async function inWords<T>(path: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const why = WHY[code]?.(dirname(path)) ?? (cause instanceof Error ? cause.message : String(cause))
    const says = `${path} cannot be written: ${why}. Name another file.`
    throw new UserError(code === 'EEXIST' ? `${path} is there already: name a file that is not.` : says, { cause })
  }
}

const WHY: Readonly<Record<string, (folder: string) => string>> = {
  ENOENT: (folder) => `there is no folder ${folder}`,
  ENOTDIR: (folder) => `${folder} is no folder`,
  EACCES: (folder) => `this user may not write in ${folder}`,
  ENOSPC: () => 'there is no room left',
}
