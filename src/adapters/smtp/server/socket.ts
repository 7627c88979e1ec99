import { connect, type Socket } from 'node:net'
import { createLookup } from '../../../lib/http/http-addresses.ts'
import type { Server } from './connecting.ts'

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
