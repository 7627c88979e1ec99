import type { Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type ListenOptions,
  Server as NetServer,
} from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { ownUrl } from './url.ts'

export class ListenError extends Error {
  override name = 'ListenError'
}

const LISTEN_FAULTS: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such name',
}

/** Accept backlog; beyond it clients retry after a second. */
const BACKLOG = 4_096

/** Node accepts one connection per tick and socket: several sockets outpace a flood. */
const SOCKETS = 8
const others = new WeakMap<Server, NetServer[]>()

/** Rejects with a ListenError. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  // A reusable port would be shared with any other process that asks.
  if (port !== 0 && (await isTaken({ host, port }))) throw new ListenError(LISTEN_FAULTS.EADDRINUSE)
  await listenOnSeveral(server, { host, port })
  const { port: actual } = server.address() as AddressInfo
  return ownUrl({ host, port: actual })
}

/** By connecting: listening briefly would reset clients. */
async function isTaken({ host, port }: { host: string; port: number }): Promise<boolean> {
  const socket = connect({ port, host: ANY[host] ?? host })
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

const ANY: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Only Linux distributes connections among several sockets. */
async function listenOnSeveral(server: Server, place: ListenOptions): Promise<void> {
  const shared = { ...place, reusePort: true }
  try {
    await bind(server, shared)
  } catch {
    return await bind(server, place)
  }
  const { port } = server.address() as AddressInfo
  const more = Array.from({ length: SOCKETS - 1 }, () => createNetServer({ allowHalfOpen: true, noDelay: true }))
  for (const one of more) {
    one.on('connection', (socket) => server.emit('connection', socket))
    await bind(one, { ...shared, port })
  }
  others.set(server, more)
}

async function bind(server: NetServer, options: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      reject(new ListenError(LISTEN_FAULTS[cause.code ?? ''] ?? cause.message, { cause }))
    }
    server.once('error', refuse).listen({ ...options, backlog: BACKLOG }, () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

/** Drains for `patience` ms; idle connections stay for `linger` ms, as a request may be arriving. */
export async function close(server: Server, patience: number, linger = 0): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), patience)
  const closed = Promise.all([server, ...(others.get(server) ?? [])].map(acceptTheLast))
  const lingered = linger === 0 ? null : setTimeout(scanOn, linger)
  let scan: NodeJS.Timeout | null = null
  function scanOn() {
    server.closeIdleConnections()
    scan = setInterval(() => server.closeIdleConnections(), 50)
  }
  if (!lingered) scanOn()
  await closed
  for (const timer of [end, lingered, scan]) if (timer) clearTimeout(timer)
}

/** In a turn without new connections: clients in the backlog would be reset. */
async function acceptTheLast(server: NetServer): Promise<void> {
  let came = true
  const note = () => {
    came = true
  }
  server.on('connection', note)
  await turn()
  for (let turns = 0; came && turns < MAX_TURNS; turns++) {
    came = false
    await turn()
  }
  server.off('connection', note)
  await stopListening(server)
}

const MAX_TURNS = 500

/** Unlike the HTTP server's method it keeps idle connections. */
function stopListening(server: NetServer): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}
