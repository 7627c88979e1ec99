import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'
import { ownLines } from '../shared/harmless-text.ts'
import { inWords } from '../shared/new-file.ts'

/** Where rows are written. Disposed of before it is done, it leaves nothing behind that can be mistaken for the whole. */
export interface Sink extends AsyncDisposable {
  write(text: string): Promise<void>
  /** The output is all written: it is there for good. */
  done(): Promise<void>
}

/**
 * A file that has its name only when it is whole, and that its owner alone may read. Throws a UserError where there is one of that name (unless `force`), or where
 * it cannot be written.
 */
export async function fileSink(path: string, force: boolean): Promise<Sink> {
  const temporary = `${path}.${process.pid}.part`
  await requireFree()
  let file: FileHandle | null = await inWords(path, open(temporary, 'wx', 0o600))

  async function requireFree(): Promise<void> {
    if (!force && (await isThere(path))) throw new UserError(`${path} is there already. --force overwrites it.`)
  }

  async function close(): Promise<void> {
    const open = file
    file = null
    await open?.close()
  }

  return {
    async write(text) {
      if (file) await inWords(path, file.writeFile(text))
    },
    async done() {
      if (file) await inWords(path, file.sync())
      await close()
      await requireFree()
      await inWords(path, rename(temporary, path))
      await syncFolder(dirname(path))
    },
    async [Symbol.asyncDispose]() {
      await close()
      await rm(temporary, { force: true })
    },
  }
}

/** Standard output, no faster than it is read. */
export function streamSink(stream: NodeJS.WriteStream): Sink {
  let failure: Error | null = null
  const fail = (error: Error) => {
    failure = error
  }
  stream.on('error', fail)
  return {
    async write(text) {
      if (failure) throw failure
      // A file is written as it is; a terminal is not steered by what is in it.
      if (!stream.write(stream.isTTY ? ownLines(text) : text)) await once(stream, 'drain')
    },
    async done() {
      if (failure) throw failure
    },
    async [Symbol.asyncDispose]() {
      stream.off('error', fail)
    },
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}

/** The name outlives a power cut too. Not every system can do that with a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => null)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
