import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'

/** A file that was made for a person. Disposed of before it is kept, it is gone. */
export interface NewFile extends AsyncDisposable {
  /** Writes all that is to be in it, and keeps it. Throws a UserError. */
  write(text: string): Promise<void>
  /** Somebody else has written it. */
  keep(): void
}

/**
 * Makes a file before anything else is done, so that who cannot have it hears of that while nothing has happened yet. Its owner alone may
 * read it, unless `mode` says otherwise. Throws a UserError where there is one of that name, or where none can be made.
 */
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

/** An operation on a file that is written for a person. Throws a UserError in the place of the system's. */
async function inWords<T>(path: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation
  } catch (error) {
    throw new UserError(wordsOf(path, error), { cause: error })
  }
}

function wordsOf(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EEXIST') return `${path} is there already: name a file that is not.`
  const why = WHY[code]?.(dirname(path)) ?? `${error instanceof Error ? error.message : error}. Name another file.`
  return `${path} cannot be written: ${why}`
}

const noLeave = (folder: string) => `this user may not write in ${folder}. Name another file, or have that right given.`
const noRoom = () => 'there is no room left. Make room, or name a file elsewhere.'

/** Words of the system, and what to do about it. */
const WHY: Readonly<Record<string, (folder: string) => string>> = {
  ENOENT: (folder) => `there is no folder ${folder}. Make it, or name another file.`,
  ENOTDIR: (folder) => `${folder} is no folder. Name another file.`,
  EACCES: noLeave,
  EPERM: noLeave,
  EROFS: (folder) => `${folder} is read-only. Name a file elsewhere.`,
  ENOSPC: noRoom,
  EDQUOT: noRoom,
}
