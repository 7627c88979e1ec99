import type { Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type ListenOptions,
  Server as NetServer,
} from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { ownUrl } from './own-url.ts'

/** A reason why a server cannot listen, in plain words. */
export class ListenError extends Error {
  override name = 'ListenError'
}

const LISTEN_FAULTS: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such name',
}

/** Connections that may wait to be accepted, as far as the system allows; whoever comes beyond them tries again after a second. */
const BACKLOG = 4_096

/**
 * Node accepts one connection in a turn of its loop from each socket that it listens on. While strangers open hundreds a second and a
 * turn takes milliseconds, honest ones would wait behind them; so the system deals them out to so many sockets of one port.
 */
const SOCKETS = 8

/** The sockets besides the first one, of a server that listens on several. */
const others = new WeakMap<Server, NetServer[]>()

/** Begins to listen; gives the address. Rejects with a ListenError. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  // A port that is shared would be shared with whoever else asks for that, another hub for one.
  if (port !== 0 && (await isTaken({ host, port }))) throw new ListenError(LISTEN_FAULTS.EADDRINUSE)
  await listenOnSeveral(server, { host, port })
  const { port: actual } = server.address() as AddressInfo
  return ownUrl({ host, port: actual })
}

/** Somebody answers there. To listen there for a moment would tell as much, and reset whoever connects at that moment. */
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

/** Where this machine answers that listens everywhere. */
const ANY: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Where the system does not deal the connections of one port out to several sockets (Linux does), one must do. */
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

/**
 * Takes no new connection, lets requests under way finish, and ends what is left after a while (milliseconds). For `linger`
 * it leaves connections alone that are idle: somebody may be sending on one of them at this moment, and would not know
 * whether that arrived.
 */
export async function close(server: Server, patience: number, linger = 0): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), patience)
  const closed = Promise.all([server, ...(others.get(server) ?? [])].map(acceptTheLast))
  const lingered = linger === 0 ? null : setTimeout(sweepOn, linger)
  // A connection that was answered just before is idle only now.
  let sweep: NodeJS.Timeout | null = null
  function sweepOn() {
    server.closeIdleConnections()
    sweep = setInterval(() => server.closeIdleConnections(), 50)
  }
  if (!lingered) sweepOn()
  await closed
  for (const timer of [end, lingered, sweep]) if (timer) clearTimeout(timer)
}

/**
 * Stops listening in a turn of the loop in which nobody came: whoever waits to be accepted at that moment is reset, and a sender that
 * was reset does not know whether its request arrived. Resolves when the last connection has ended.
 */
async function acceptTheLast(server: NetServer): Promise<void> {
  let came = true
  const note = () => {
    came = true
  }
  server.on('connection', note)
  await turn()
  for (let turns = 0; came && turns < MOST_TURNS; turns++) {
    came = false
    await turn()
  }
  server.off('connection', note)
  await stopListening(server)
}

/** A flood of strangers keeps nobody listening. */
const MOST_TURNS = 500

/** Resolves when its last connection has ended. It is not the method of HTTP servers: that would end idle connections at once. */
function stopListening(server: NetServer): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}
