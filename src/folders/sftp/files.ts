import { posix } from 'node:path'
import type { Stats } from 'ssh2'
import { refuseAborted } from '../aborting.ts'
import { FilesError, isTrouble } from '../files-error.ts'
import { type FileEntry, type Files, REPLACED } from '../transport.ts'
import type { SftpConnection } from './connection.ts'

/** Every server takes requests of this size (bytes). */
const PIECE = 32 * 1024

/** How many requests for one file are under way at once: a far server would else answer one after the other. */
const AT_ONCE = 16

/** A folder of a server, over one connection. */
export function filesOver(connection: SftpConnection, folder: string, signal: AbortSignal): Files {
  const at = (path: string) => posix.join(folder, path)

  const ask: SftpConnection['ask'] = async (request) => {
    refuseAborted(signal)
    try {
      return await connection.ask(request)
    } catch (error) {
      refuseAborted(signal)
      throw troubleOf(error)
    }
  }

  async function stat(path: string): Promise<FileEntry | null> {
    try {
      const found = await ask<Stats>((sftp, done) =>
        path === '' ? sftp.stat(at(path), done) : sftp.lstat(at(path), done),
      )
      return entryOf(posix.basename(path), found)
    } catch (error) {
      if (isTrouble(error, 'missing')) return null
      throw error
    }
  }

  /** The protocol has no word for "it is there already": the server only fails. */
  async function orExists(path: string, step: Promise<unknown>): Promise<void> {
    try {
      await step
    } catch (error) {
      if (!isTrouble(error, 'failed') || !(await stat(path))) throw error
      throw new FilesError('exists', 'has a file of that name already.', { cause: error })
    }
  }

  async function syncFile(handle: Buffer): Promise<void> {
    try {
      await ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, done))
    } catch (error) {
      if (!isTrouble(error, 'unsupported')) throw error
    }
  }

  /** `offset`: where in the file the content goes. */
  async function write(handle: Buffer, content: Buffer, offset: number): Promise<void> {
    for (let begin = 0; begin < content.length; begin += PIECE * AT_ONCE) {
      const pieces = piecesOf(begin, Math.min(begin + PIECE * AT_ONCE, content.length))
      await Promise.all(
        pieces.map(({ from, length }) =>
          ask<void>((sftp, done) => sftp.write(handle, content, from, length, offset + from, done)),
        ),
      )
    }
  }

  /** As much as there is; less than asked for only at the end of the file. */
  async function readPiece(handle: Buffer, from: number): Promise<Buffer> {
    const piece = Buffer.alloc(PIECE)
    let filled = 0
    while (filled < PIECE) {
      const read = await ask<number>((sftp, done) =>
        sftp.read(handle, piece, filled, PIECE - filled, from + filled, (error, bytes) =>
          isEndOfFile(error) ? done(null, 0) : done(error, bytes),
        ),
      )
      if (read === 0) break
      filled += read
    }
    return piece.subarray(0, filled)
  }

  const closeFile = (handle: Buffer) => ask<void>((sftp, done) => sftp.close(handle, done))

  return {
    stat,
    async list(path) {
      const found = await ask<{ filename: string; attrs: Stats }[]>((sftp, done) => sftp.readdir(at(path), done))
      return await Promise.all(
        found.map(async ({ filename, attrs }) => {
          const entry = entryOf(filename, attrs)
          const isUnnameable = filename.includes(REPLACED) && (await stat(posix.join(path, filename))) === null
          return isUnnameable ? { ...entry, isUnnameable } : entry
        }),
      )
    },
    async *read(path, from = 0) {
      const handle = await ask<Buffer>((sftp, done) => sftp.open(at(path), 'r', done))
      try {
        // Pieces grow in number: a reader who needs only the beginning should not wait for more.
        for (let begin = from, count = 1; ; begin += PIECE * count, count = Math.min(count * 2, AT_ONCE)) {
          const pieces = piecesOf(begin, begin + PIECE * count)
          const read = await Promise.all(pieces.map((piece) => readPiece(handle, piece.from)))
          yield* read.filter((piece) => piece.length > 0)
          if (read.some((piece) => piece.length < PIECE)) return
        }
      } finally {
        await closeFile(handle).catch(() => {})
      }
    },
    async create(path, content) {
      let handle: Buffer | undefined
      await orExists(
        path,
        ask<Buffer>((sftp, done) => sftp.open(at(path), 'wx', done)).then((opened) => {
          handle = opened
        }),
      )
      if (!handle) return
      try {
        let offset = 0
        for await (const piece of content instanceof Uint8Array ? [content] : content) {
          await write(handle, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength), offset)
          offset += piece.byteLength
        }
        await syncFile(handle)
      } catch (error) {
        await closeFile(handle).catch(() => {})
        throw error
      }
      await closeFile(handle)
    },
    async rename(from, to) {
      try {
        return await ask<void>((sftp, done) => sftp.ext_openssh_rename(at(from), at(to), done))
      } catch (error) {
        if (!isTrouble(error, 'unsupported')) throw error
      }
      await orExists(
        to,
        ask<void>((sftp, done) => sftp.rename(at(from), at(to), done)),
      )
    },
    async remove(path) {
      await ask<void>((sftp, done) => sftp.unlink(at(path), done)).catch((error: unknown) => {
        if (!isTrouble(error, 'missing')) throw error
      })
    },
    async makeFolder(path) {
      await ask<void>((sftp, done) => sftp.mkdir(at(path), done)).catch(async (error: unknown) => {
        if (!isTrouble(error, 'failed') || (await stat(path))?.type !== 'folder') throw error
      })
    },
    removeFolder: (path) => ask<void>((sftp, done) => sftp.rmdir(at(path), done)),
    // The protocol cannot ask for it.
    async sync() {},
    async room(path) {
      try {
        const space = await ask<{ f_bavail: number; f_frsize: number }>((sftp, done) =>
          sftp.ext_openssh_statvfs(at(path), done),
        )
        return Number(space.f_bavail) * Number(space.f_frsize)
      } catch (error) {
        if (isTrouble(error, 'unsupported', 'failed')) return null
        throw error
      }
    },
  }
}

function piecesOf(begin: number, end: number): { from: number; length: number }[] {
  const count = Math.ceil((end - begin) / PIECE)
  return Array.from({ length: count }, (_, index) => {
    const from = begin + index * PIECE
    return { from, length: Math.min(PIECE, end - from) }
  })
}

function entryOf(name: string, attrs: Stats): FileEntry {
  const type = attrs.isFile() ? 'file' : attrs.isDirectory() ? 'folder' : 'other'
  return { name, size: attrs.size, modifiedAt: attrs.mtime * 1000, type }
}

/** Status codes of draft-ietf-secsh-filexfer-02, section 7. */
const [END_OF_FILE, NO_SUCH_FILE, PERMISSION_DENIED, UNSUPPORTED] = [1, 2, 3, 8]

function isEndOfFile(error: Error | null | undefined): boolean {
  return Object(error).code === END_OF_FILE
}

/** An answer of the server has a number; without one, the connection broke. */
function troubleOf(error: unknown): FilesError {
  if (error instanceof FilesError) return error
  const { code } = Object(error) as { code?: unknown }
  const cause = Object.assign(new Error('SFTP'), { code })
  switch (code) {
    case NO_SUCH_FILE:
      return new FilesError('missing', 'is not there, or something in it is not.', { cause })
    case PERMISSION_DENIED:
      return new FilesError('denied', 'may not be written by this user: permission denied.', { cause })
    case UNSUPPORTED:
      return new FilesError('unsupported', 'does not offer what is needed.', { cause })
    default:
      if (typeof code !== 'number') return new FilesError('lost', 'cut the connection.', { cause })
      return new FilesError('failed', `refuses to write (code ${code}): its disk may be full, or read-only.`, { cause })
  }
}
