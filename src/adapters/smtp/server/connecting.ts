import { connect, type Socket } from 'node:net'
import { createLookup } from '../../../lib/http/http-addresses.ts'
import type { SmtpAddress } from '../options.ts'

/** Where to connect, and how long to wait. */
export interface Server extends SmtpAddress {
  /** The longest of every single wait for the server (milliseconds). */
  timeout: number
}

/** The settings of a server for the mail library, whether a mail is sent or not. */
export function serverOptions({ host, port, secure, login, timeout }: Server) {
  return {
    host,
    port,
    secure,
    // A password leaves this machine encrypted or not at all.
    requireTLS: login !== null && !secure && !isThisMachine(host),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    socketCloseTimeout: 0,
  }
}

/** A connected socket, until the signal is aborted. Its name is looked up so that it cannot lead to a link-local address. */
export function openSocket(
  { host, port, timeout }: Server,
  sockets: Set<Socket>,
  signal?: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port, lookup: createLookup() })
  sockets.add(socket)
  const timer = setTimeout(() => socket.destroy(broken('no connection in time', 'ETIMEDOUT')), timeout)
  const settle = () => clearTimeout(timer)
  const cut = () => {
    reject(broken('aborted', 'ABORTED'))
    socket.destroy()
  }
  signal?.addEventListener('abort', cut)
  if (signal?.aborted) cut()
  socket.once('error', reject).once('connect', () => {
    settle()
    socket.off('error', reject)
    resolve(socket)
  })
  socket.once('close', () => {
    settle()
    signal?.removeEventListener('abort', cut)
    sockets.delete(socket)
    reject(new Error('The connection was closed.'))
  })
  return promise
}

function broken(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}

export function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
}
