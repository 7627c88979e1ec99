import { createReadStream, type Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FileEntry,
  type Files,
  FilesError,
  type FilesTrouble,
  REPLACED,
  refuseAborted,
  type Transport,
  untilAborted,
} from './transport.ts'

/** How much is written before the signal is looked at again (bytes). */
const PIECE = 1024 * 1024

/** Rights of what is made: its owner alone. */
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700

/** A folder of this machine, or one that is mounted here. `mode`: the rights of files that are made in it. */
export function createLocalFolder(folder: string, mode = PRIVATE): Transport {
  const closing = new AbortController()
  return {
    where: folder,
    use(signal, work) {
      const either = AbortSignal.any([signal, closing.signal])
      return untilAborted(either, () => work(filesIn(folder, mode, either)))
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
    },
  }
}

function filesIn(folder: string, mode: number, signal: AbortSignal): Files {
  const at = (path: string) => join(folder, path)

  async function attempt<Result>(step: () => Promise<Result>): Promise<Result> {
    refuseAborted(signal)
    try {
      return await step()
    } catch (error) {
      throw troubleOf(error)
    }
  }

  return {
    list: (path) =>
      attempt(async () => {
        const found = await Promise.all(
          (await readdir(at(path))).map(async (name) => {
            const entry = await entryAt(join(at(path), name), name)
            return entry ?? (name.includes(REPLACED) ? unnameable(name) : null)
          }),
        )
        return found.filter((entry) => entry !== null)
      }),
    // The folder itself may be a link.
    stat: (path) => attempt(() => entryAt(at(path), path.replace(/^.*\//, ''), path === '' ? stat : lstat)),
    async *read(path, from = 0) {
      refuseAborted(signal)
      try {
        for await (const piece of createReadStream(at(path), { signal, start: from })) yield piece as Buffer
      } catch (error) {
        refuseAborted(signal)
        throw troubleOf(error)
      }
    },
    create: (path, content) =>
      attempt(async () => {
        await using handle = await open(at(path), 'wx', PRIVATE)
        // The umask must not narrow it: those who read the folder were given these rights.
        if (mode !== PRIVATE) await handle.chmod(mode)
        for await (const piece of content instanceof Uint8Array ? piecesOf(content) : content) {
          refuseAborted(signal)
          await handle.writeFile(piece)
        }
        await handle.sync()
      }),
    rename: (from, to) => attempt(() => rename(at(from), at(to))),
    remove: (path) => attempt(() => rm(at(path), { force: true })),
    makeFolder: (path) =>
      attempt(async () => {
        try {
          await mkdir(at(path), { mode: PRIVATE_FOLDER })
          if (mode !== PRIVATE) await chmod(at(path), entered(mode))
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
        }
      }),
    removeFolder: (path) => attempt(() => rmdir(at(path))),
    sync: (path) =>
      attempt(async () => {
        // Windows has no such thing for folders.
        if (process.platform === 'win32') return
        await using handle = await open(at(path), 'r')
        await handle.sync().catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
        })
      }),
    room: (path) =>
      attempt(async () => {
        const { bavail, bsize } = await statfs(at(path))
        return bavail * bsize
      }),
  }
}

/** The rights of a folder in which files have these: who may read may enter. */
function entered(mode: number): number {
  return mode | ((mode & 0o444) >> 2)
}

function* piecesOf(content: Uint8Array): Generator<Uint8Array> {
  for (let begin = 0; begin < content.byteLength; begin += PIECE) yield content.subarray(begin, begin + PIECE)
}

function unnameable(name: string): FileEntry {
  return { name, size: 0, modifiedAt: 0, type: 'file', isUnnameable: true }
}

async function entryAt(path: string, name: string, look: (path: string) => Promise<Stats> = lstat) {
  try {
    const found = await look(path)
    const type: FileEntry['type'] = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
    return { name, size: found.size, modifiedAt: found.mtimeMs, type }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

const TROUBLES: Readonly<Record<string, readonly [FilesTrouble, string]>> = {
  ENOENT: ['missing', 'is not there, or something in it is not.'],
  ENOTDIR: ['missing', 'is no folder.'],
  EEXIST: ['exists', 'has a file of that name already.'],
  EACCES: ['denied', 'may not be written by the hub: permission denied.'],
  EPERM: ['denied', 'may not be written by the hub: permission denied.'],
  EROFS: ['denied', 'is read-only.'],
  ENOSPC: ['full', 'has no room: its disk is full.'],
  EDQUOT: ['full', 'has no room: the quota is used up.'],
}

function troubleOf(error: unknown): unknown {
  if (error instanceof FilesError || !(error instanceof Error && 'code' in error)) return error
  const [trouble, message] = TROUBLES[String(error.code)] ?? ['failed', `cannot be used: ${error.code}.`]
  return new FilesError(trouble, message, { cause: error })
}
