import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { posix } from 'node:path'
import type { Client, ClientErrorExtensions, ConnectConfig, SFTPWrapper, Stats } from 'ssh2'
import { z } from 'zod'
import { AddressError, createLookup, literalFault } from '../lib/http/address-guard.ts'
import { createPool, PoolClosedError, type PooledConnection } from '../lib/pool.ts'
import { checkedText, secret } from '../lib/schema.ts'
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

export interface SftpLimits {
  connections: number
  timeout: number
  /** Milliseconds without an answer after which the connection is cut; else the signal ends it. */
  idleTimeout?: number
  /** Its name may lead to a private address. */
  allowPrivate?: boolean | undefined
}

const IDLE_MS = 60_000

export function createSftpFolder(options: SftpOptions, { connections, ...limits }: SftpLimits): Transport {
  const pool = createPool({ connect: (signal) => connectSftp(options, limits, signal), connections, idleMs: IDLE_MS })
  return {
    where: `sftp://${options.host}:${options.port}/${options.folder.replace(/^\/+/, '')}`,
    async use(signal, work) {
      try {
        return await pool.use(signal, (connection) =>
          untilAborted(signal, () => work(filesOver(connection, options.folder, signal))),
        )
      } catch (error) {
        if (error === signal.reason) refuseAborted(signal)
        if (error instanceof PoolClosedError)
          throw new FilesError('unreachable', 'is not used any more: the hub is stopping.')
        throw error
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** Bytes; every server takes so much. */
const PIECE = 32 * 1024

const CONCURRENCY = 16

function filesOver(connection: SftpConnection, folder: string, signal: AbortSignal): Files {
  const at = (path: string) => posix.join(folder, path)

  const ask: SftpConnection['ask'] = async (request) => {
    refuseAborted(signal)
    try {
      return await connection.ask(request)
    } catch (error) {
      refuseAborted(signal)
      throw faultOf(error)
    }
  }

  async function stat(path: string): Promise<FileEntry | null> {
    try {
      const found = await ask<Stats>((sftp, done) =>
        path === '' ? sftp.stat(at(path), done) : sftp.lstat(at(path), done),
      )
      return entryOf(posix.basename(path), found)
    } catch (error) {
      if (isFault(error, 'missing')) return null
      throw error
    }
  }

  /** The protocol only says "failure". */
  async function orExists<Result>(path: string, step: Promise<Result>): Promise<Result> {
    try {
      return await step
    } catch (error) {
      if (!isFault(error, 'failed') || !(await stat(path))) throw error
      throw new FilesError('exists', 'has a file of that name already.', { cause: error })
    }
  }

  async function syncFile(handle: Buffer): Promise<void> {
    try {
      await ask<void>((sftp, done) => sftp.ext_openssh_fsync(handle, done))
    } catch (error) {
      if (!isFault(error, 'unsupported')) throw error
    }
  }

  async function write(handle: Buffer, content: Buffer, offset: number): Promise<void> {
    for (let begin = 0; begin < content.length; begin += PIECE * CONCURRENCY) {
      const pieces = piecesOf(begin, Math.min(begin + PIECE * CONCURRENCY, content.length))
      const writes = pieces.map(({ from, length }) =>
        ask<void>((sftp, done) => sftp.write(handle, content, from, length, offset + from, done)),
      )
      await Promise.all(writes)
    }
  }

  /** Shorter only at the end of the file. */
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
        for (let begin = from, count = 1; ; begin += PIECE * count, count = Math.min(count * 2, CONCURRENCY)) {
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
      const opened = ask<Buffer>((sftp, done) => sftp.open(at(path), 'wx', done))
      const handle = await orExists(path, opened)
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
        if (!isFault(error, 'unsupported')) throw error
      }
      const renamed = ask<void>((sftp, done) => sftp.rename(at(from), at(to), done))
      await orExists(to, renamed)
    },
    async remove(path) {
      await ask<void>((sftp, done) => sftp.unlink(at(path), done)).catch((error: unknown) => {
        if (!isFault(error, 'missing')) throw error
      })
    },
    async makeFolder(path) {
      await ask<void>((sftp, done) => sftp.mkdir(at(path), done)).catch(async (error: unknown) => {
        if (!isFault(error, 'failed') || (await stat(path))?.type !== 'folder') throw error
      })
    },
    removeFolder: (path) => ask<void>((sftp, done) => sftp.rmdir(at(path), done)),
    async sync() {},
    async freeSpace(path) {
      try {
        const space = await ask<{ f_bavail: number; f_frsize: number }>((sftp, done) =>
          sftp.ext_openssh_statvfs(at(path), done),
        )
        return Number(space.f_bavail) * Number(space.f_frsize)
      } catch (error) {
        if (isFault(error, 'unsupported', 'failed')) return null
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

/** draft-ietf-secsh-filexfer-02, section 7. */
const END_OF_FILE = 1
const FAULTS: Readonly<Record<number, readonly [FilesFault, string]>> = {
  2: ['missing', 'is not there, or something in it is not.'],
  3: ['denied', 'may not be written by this user: permission denied.'],
  8: ['unsupported', 'does not offer what is needed.'],
}

function isEndOfFile(error: Error | null | undefined): boolean {
  return Object(error).code === END_OF_FILE
}

/** Answers of the server have a number; else the connection broke. */
function faultOf(error: unknown): FilesError {
  if (error instanceof FilesError) return error
  const { code } = Object(error) as { code?: unknown }
  const cause = Object.assign(new Error('SFTP'), { code })
  if (typeof code !== 'number') return new FilesError('lost', 'cut the connection.', { cause })
  const full = `refuses to write (code ${code}): its disk may be full, or read-only.`
  const [fault, message] = FAULTS[code] ?? ['failed', full]
  return new FilesError(fault, message, { cause })
}

type Done<Result> = (error: Error | null | undefined, result?: Result) => void
type Request<Result> = (sftp: SFTPWrapper, done: Done<Result>) => unknown

interface SftpConnection extends PooledConnection {
  /** What ssh2 itself refuses is `unsupported`. */
  ask<Result>(request: Request<Result>): Promise<Result>
}

async function connectSftp(
  options: SftpOptions,
  { timeout, idleTimeout, allowPrivate }: Omit<SftpLimits, 'connections'>,
  signal: AbortSignal,
): Promise<SftpConnection> {
  // 20 MB: loaded on use.
  const { default: ssh2 } = await import('ssh2')
  refuseAborted(signal)
  const { host, port } = options
  const socket = connect({ host, port, lookup: createLookup({ allowPrivate }), noDelay: true })
  const client = new ssh2.Client()
  const seen: Seen = { stranger: null }
  const cut = () => socket.destroy(new Error('aborted'))
  signal.addEventListener('abort', cut, { once: true })
  try {
    const sftp = await handshake(client, configOf(options, socket, timeout, seen))
    return connectionOver(client, sftp, { socket, idleTimeout })
  } catch (error) {
    socket.destroy()
    refuseAborted(signal)
    throw connectErrorOf(error, seen)
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

type Seen = Record<'stranger', string | null>

function configOf(options: SftpOptions, socket: Socket, timeout: number, seen: Seen): ConnectConfig {
  const { user, password, privateKey, passphrase, hostKey } = options
  return {
    sock: socket,
    username: user,
    // Some servers ask by keyboard-interactive.
    ...(password !== undefined && { password, tryKeyboard: true }),
    ...(privateKey !== undefined && { privateKey: withLines(privateKey) }),
    ...(passphrase !== undefined && { passphrase }),
    readyTimeout: timeout,
    hostVerifier(key: Buffer) {
      const found = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`
      const isKnown = hostKey === 'any' || [hostKey].flat().some((known) => known.replace(/=$/, '') === found)
      if (!isKnown) seen.stranger = found
      return isKnown
    },
  }
}

/** Environment variables often have it in one line. */
function withLines(key: string): string {
  return key.includes('\n') ? key : key.replaceAll('\\n', '\n')
}

async function handshake(client: Client, config: ConnectConfig): Promise<SFTPWrapper> {
  const { promise, resolve, reject } = Promise.withResolvers<SFTPWrapper>()
  client.on('error', reject).on('close', () => reject(new Error('it closed the connection')))
  client.on('ready', () => client.sftp((error, sftp) => (error ? reject(new NoSftpError()) : resolve(sftp))))
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, finish) =>
    finish(prompts.map(() => config.password ?? '')),
  )
  try {
    client.connect(config)
  } catch (cause) {
    throw new KeyError('the private key cannot be read', { cause })
  }
  return await promise
}

class NoSftpError extends Error {}
class KeyError extends Error {}

function connectionOver(
  client: Client,
  sftp: SFTPWrapper,
  { socket, idleTimeout }: { socket: Socket; idleTimeout: number | undefined },
): SftpConnection {
  const waiting = new Set<(error: Error) => void>()
  let open = true

  function cut(why: Error): void {
    open = false
    socket.destroy()
    for (const reject of waiting) reject(why)
  }
  const broke = () => cut(new Error('the connection was lost'))
  const fellSilent = () => cut(new FilesError('lost', `has not answered for ${(idleTimeout ?? 0) / 1_000} s.`))
  client.on('error', broke).on('end', broke).on('close', broke)
  sftp.on('error', broke).on('close', broke)

  async function ask<Result>(request: Request<Result>): Promise<Result> {
    if (!open) throw new Error('the connection was lost')
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.add(reject)
    const timer = idleTimeout === undefined ? undefined : setTimeout(fellSilent, idleTimeout)
    try {
      request(sftp, (error, result) => (error ? reject(error) : resolve(result as Result)))
    } catch (cause) {
      reject(new FilesError('unsupported', 'does not offer what is needed.', { cause }))
    }
    return await promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(reject)
    })
  }

  return {
    get isOpen() {
      return open
    },
    ask,
    close: async () => broke(),
    destroy: broke,
  }
}

/** Never the server's words: they may echo credentials. */
function connectErrorOf(error: unknown, { stranger }: Seen): FilesError {
  if (stranger !== null)
    return new FilesError(
      'host-key',
      `shows the host key ${stranger}, which is not the one of sftp.hostKey: it may be another machine. Nothing was sent.`,
    )
  if (error instanceof KeyError)
    return new FilesError('login', 'was not asked: sftp.privateKey cannot be read; its passphrase may be wrong.')
  if (error instanceof AddressError) return new FilesError('address-refused', `is not reached: ${error.message}.`)
  if (error instanceof NoSftpError) return new FilesError('unreachable', 'offers no SFTP.')
  const { level, code } = Object(error) as ClientErrorExtensions & { code?: unknown }
  if (level === 'client-authentication')
    return new FilesError('login', 'refuses the user, the password or the key of sftp.')
  const why =
    level === 'client-timeout' ? 'no answer in time' : typeof code === 'string' ? code : 'the connection broke'
  const cause = Object.assign(new Error('SFTP'), { code: why })
  return new FilesError('unreachable', `cannot be reached: ${why}.`, { cause })
}

const Fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'Must be SHA256: and the fingerprint, as ssh-keygen -l shows it, or any.')

const PlainText = z.string().regex(/^[^\p{Cc}]+$/u, 'Must not be empty or have control characters.')
export const SftpOptions = z
  .strictObject({
    host: checkedText(hostFault).describe('The name or address of the server.'),
    port: z.int().min(1).max(65_535).default(22).describe('Its port.'),
    user: PlainText.describe('The user.'),
    password: secret(PlainText).optional().describe('The password of the user, where there is no key.'),
    privateKey: secret(checkedText(keyFault))
      .optional()
      .describe('A private key in OpenSSH or PEM form, in place of a password. Its lines may be joined by \\n.'),
    passphrase: secret(PlainText).optional().describe('What the private key is encrypted with, if it is.'),
    hostKey: z
      .union([z.literal('any'), Fingerprint, z.array(Fingerprint).min(1)])
      .describe(
        'The fingerprint of the host key of the server (SHA256:…), or several of which one must be it; `any` asks for none.',
      ),
    folder: checkedText(folderFault).describe(
      'The folder, from the root of the server (/in) or from where the user begins (in).',
    ),
  })
  .superRefine(({ password, privateKey, passphrase }, context) => {
    if ((password === undefined) === (privateKey === undefined))
      context.addIssue({ code: 'custom', path: ['password'], message: 'Give either password or privateKey.' })
    if (passphrase !== undefined && privateKey === undefined)
      context.addIssue({ code: 'custom', path: ['passphrase'], message: 'Is of a privateKey, and there is none.' })
  })

export type SftpOptions = z.output<typeof SftpOptions>

function hostFault(text: string): string | null {
  if (!/^[\w.:-]+$/.test(text)) return 'Must be a name or an address, without a scheme, a user or a port.'
  return literalFault(text)
}

function keyFault(text: string): string | null {
  const [, type] = /^\s*-----BEGIN ([A-Z ]*)PRIVATE KEY-----/.exec(text) ?? []
  if (type === undefined) return 'Must be a private key: -----BEGIN …PRIVATE KEY-----.'
  const isPkcs8 = type === '' || type === 'ENCRYPTED '
  return isPkcs8 ? 'Must be in OpenSSH or PEM form, not PKCS #8: ssh-keygen -p -f <file> writes it anew.' : null
}

function folderFault(text: string): string | null {
  if (!/^[^\p{Cc}\\]+$/u.test(text)) return 'Must be a path with / between its parts.'
  return text.startsWith('~') ? 'Must not begin with ~: leave it out, paths begin where the user does.' : null
}
