import { createReadStream, type Stats } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { HealthFinding } from '../ports/attempt.ts'
import type { SftpOptions } from './sftp.ts'
import { createSftpFolder, type SftpLimits } from './sftp.ts'
import {
  type FileEntry,
  type Files,
  FilesError,
  type FilesFault,
  isFault,
  REPLACED,
  refuseAborted,
  type Transport,
  untilAborted,
} from './transport.ts'

const PIECE = 1024 * 1024
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700

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
      throw faultOf(error)
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
    stat: (path) => attempt(() => entryAt(at(path), path.replace(/^.*\//, ''), path === '' ? stat : lstat)),
    async *read(path, from = 0) {
      refuseAborted(signal)
      try {
        for await (const piece of createReadStream(at(path), { signal, start: from })) yield piece as Buffer
      } catch (error) {
        refuseAborted(signal)
        throw faultOf(error)
      }
    },
    create: (path, content) =>
      attempt(async () => {
        await using handle = await open(at(path), 'wx', PRIVATE)
        // Independent of the umask.
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
        if (process.platform === 'win32') return
        await using handle = await open(at(path), 'r')
        await handle.sync().catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EINVAL' && error.code !== 'ENOTSUP') throw error
        })
      }),
    freeSpace: (path) =>
      attempt(async () => {
        const { bavail, bsize } = await statfs(at(path))
        return bavail * bsize
      }),
  }
}

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

const FAULTS: Readonly<Record<string, readonly [FilesFault, string]>> = {
  ENOENT: ['missing', 'is not there, or something in it is not.'],
  ENOTDIR: ['missing', 'is no folder.'],
  EEXIST: ['exists', 'has a file of that name already.'],
  EACCES: ['denied', 'may not be written by the hub: permission denied.'],
  EPERM: ['denied', 'may not be written by the hub: permission denied.'],
  EROFS: ['denied', 'is read-only.'],
  ENOSPC: ['full', 'has no room: its disk is full.'],
  EDQUOT: ['full', 'has no room: the quota is used up.'],
}

function faultOf(error: unknown): unknown {
  if (error instanceof FilesError || !(error instanceof Error && 'code' in error)) return error
  const [fault, message] = FAULTS[String(error.code)] ?? ['failed', `cannot be used: ${error.code}.`]
  return new FilesError(fault, message, { cause: error })
}

export interface FolderOptions {
  folder?: string | undefined
  mode?: string | undefined
  sftp?: SftpOptions | undefined
}

export function openFolder({ folder, mode, sftp }: FolderOptions, limits: SftpLimits): Transport {
  return sftp ? createSftpFolder(sftp, limits) : createLocalFolder(folder ?? '', Number.parseInt(mode ?? '0600', 8))
}

const PROBE = '.tillbridge-look'

const LITTLE = 100 * 1024 * 1024

export function lettingIn({ host, port, hostKey, password }: SftpOptions): HealthFinding[] {
  const connection: HealthFinding =
    hostKey === 'any'
      ? {
          what: 'connection',
          state: 'note',
          says: 'It is reached. Config asks for no host key, so that another machine could answer in its place.',
          todo: `put the fingerprint into sftp.hostKey: ssh-keyscan -p ${port} ${host} | ssh-keygen -lf -`,
        }
      : { what: 'connection', state: 'ok', says: 'It is reached, and shows the host key of config.' }
  const ours = password === undefined ? 'key' : 'password'
  return [connection, { what: 'credentials', state: 'ok', says: `It takes our user and ${ours}.` }]
}

async function tryToWrite(files: Files, folder: string): Promise<void> {
  const probe = folder === '' ? PROBE : `${folder}/${PROBE}`
  try {
    await files.create(probe, new Uint8Array())
  } catch (error) {
    if (!isFault(error, 'exists')) throw error
  }
  await files.remove(probe)
}

/** A problem where little space is left (bytes; null: unknown). */
function folderFound(what: string, facts: readonly string[], room: number | null): HealthFinding {
  const says = [...facts, ...(room === null ? [] : [`${spell(room)} are free.`])].join(' ')
  if (room === null || room >= LITTLE) return { what, state: 'ok', says }
  return { what, state: 'problem', says, todo: 'make room on its disk, or raise the quota.' }
}

/** Whether it can be written to, and what `look` tells of what is in it. */
export async function probeFolder(
  files: Files,
  path: string,
  { what, absent, look }: { what: string; absent: HealthFinding; look(): Promise<string[] | HealthFinding> },
): Promise<HealthFinding> {
  let isRead = false
  try {
    if ((await files.stat(path)) === null) return absent
    const found = await look()
    isRead = true
    await tryToWrite(files, path)
    return Array.isArray(found) ? folderFound(what, found, await files.freeSpace(path)) : found
  } catch (error) {
    if (!isFault(error, 'missing', 'denied', 'full', 'failed')) throw error
    const isUnreadable = error.fault === 'denied' && !isRead
    const says = isUnreadable ? 'It may not be read: permission denied.' : `It ${error.message}`
    return { what, state: 'problem', says, todo: todoAbout(error) }
  }
}

export async function checkFolder(
  files: Files,
  { where, sftp }: { where: string; sftp: SftpOptions | undefined },
): Promise<HealthFinding[]> {
  const found = sftp ? lettingIn(sftp) : []
  const what = `folder ${where}`
  const absent: HealthFinding = {
    what,
    state: 'note',
    says: 'It is not there yet: the hub makes it for the first file.',
  }
  const look = async () => {
    await files.list('')
    return ['It can be read and written to.']
  }
  return [...found, await probeFolder(files, '', { what, absent, look })]
}

function spell(bytes: number): string {
  const [size, unit] = bytes >= 1024 ** 3 ? [bytes / 1024 ** 3, 'GB'] : [bytes / 1024 ** 2, 'MB']
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${unit}`
}

function todoAbout({ fault }: FilesError): string {
  if (fault === 'missing') return 'make it, or name another one in config.'
  if (fault === 'full') return 'make room on its disk, or raise the quota.'
  return 'give the user that config names there (of a folder of this machine: the one that the hub runs as) the right to read, write and delete there.'
}
