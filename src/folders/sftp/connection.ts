import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Client, ClientErrorExtensions, ConnectConfig, SFTPWrapper } from 'ssh2'
import { createLookup } from '../../lib/http/http-addresses.ts'
import { refuseAborted } from '../aborting.ts'
import { FilesError } from '../files-error.ts'
import type { SftpOptions } from './options.ts'

type Done<Result> = (error: Error | null | undefined, result?: Result) => void
type Request<Result> = (sftp: SFTPWrapper, done: Done<Result>) => unknown

/** One SSH connection with an SFTP session. It never emits an error: what is under way is rejected when it breaks. */
export interface SftpConnection {
  isOpen(): boolean
  /** One request; what ssh2 itself refuses is `unsupported`. */
  ask<Result>(request: Request<Result>): Promise<Result>
  /** Cuts it. */
  close(): void
}

interface Patience {
  /** With connecting and logging in as a whole (milliseconds). */
  timeout: number
  /** With each request (milliseconds); none is set: whoever asks ends it. */
  silence?: number
}

/** Connects, checks whose server it is, logs in. */
export async function connectSftp(
  options: SftpOptions,
  { timeout, silence }: Patience,
  signal: AbortSignal,
): Promise<SftpConnection> {
  // 20 MB that a hub does without unless it has such a destination.
  const { default: ssh2 } = await import('ssh2')
  refuseAborted(signal)
  const { host, port } = options
  const socket = connect({ host, port, lookup: createLookup(), noDelay: true })
  const client = new ssh2.Client()
  const seen: Seen = { stranger: null }
  const cut = () => socket.destroy(new Error('aborted'))
  signal.addEventListener('abort', cut, { once: true })
  try {
    const sftp = await handshake(client, configOf(options, socket, timeout, seen))
    return connectionOver(client, sftp, { socket, silence })
  } catch (error) {
    socket.destroy()
    refuseAborted(signal)
    throw refusalOf(error, seen)
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

/** The fingerprint of a server that is not the one of config. */
interface Seen {
  stranger: string | null
}

function configOf(options: SftpOptions, socket: Socket, timeout: number, seen: Seen): ConnectConfig {
  const { user, password, privateKey, passphrase, hostKey } = options
  return {
    sock: socket,
    username: user,
    // Some servers ask for a password as a question (keyboard-interactive).
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

/** In an environment, a key is often one line with \n between its lines. */
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
  { socket, silence }: { socket: Socket; silence: number | undefined },
): SftpConnection {
  const waiting = new Set<(error: Error) => void>()
  let open = true

  function close(why: Error): void {
    open = false
    socket.destroy()
    for (const reject of waiting) reject(why)
  }
  const broke = () => close(new Error('the connection was lost'))
  const fellSilent = () => close(new FilesError('lost', `has not answered for ${(silence ?? 0) / 1_000} s.`))
  client.on('error', broke).on('end', broke).on('close', broke)
  sftp.on('error', broke).on('close', broke)

  async function ask<Result>(request: Request<Result>): Promise<Result> {
    if (!open) throw new Error('the connection was lost')
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.add(reject)
    const timer = silence === undefined ? undefined : setTimeout(fellSilent, silence)
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

  return { isOpen: () => open, ask, close: broke }
}

/** Why there is no connection. Never what the server says: it may say back what it was told. */
function refusalOf(error: unknown, { stranger }: Seen): FilesError {
  if (stranger !== null)
    return new FilesError(
      'host-key',
      `shows the host key ${stranger}, which is not the one of sftp.hostKey: it may be another machine. Nothing was sent.`,
    )
  if (error instanceof KeyError)
    return new FilesError('login', 'was not asked: sftp.privateKey cannot be read; its passphrase may be wrong.')
  if (error instanceof NoSftpError) return new FilesError('unreachable', 'offers no SFTP.')
  const { level, code } = Object(error) as ClientErrorExtensions & { code?: unknown }
  if (level === 'client-authentication')
    return new FilesError('login', 'refuses the user, the password or the key of sftp.')
  const why =
    level === 'client-timeout' ? 'no answer in time' : typeof code === 'string' ? code : 'the connection broke'
  return new FilesError('unreachable', `cannot be reached: ${why}.`, { cause: causeOf(why) })
}

function causeOf(why: string): Error {
  return Object.assign(new Error('SFTP'), { code: why })
}
