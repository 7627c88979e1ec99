import { open, rm } from 'node:fs/promises'
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
    if (!(cause instanceof Error)) throw cause
    const isThere = 'code' in cause && cause.code === 'EEXIST'
    throw new UserError(
      isThere
        ? `${path} is there already: name a file that is not.`
        : `${path} cannot be written (${cause.message}): name another file.`,
      { cause },
    )
  }
}
