import type { RequestListener, Server } from 'node:http'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type ListenOptions,
  Server as NetServer,
} from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { createTimings } from '../domain/health/timings.ts'
import { UserError } from '../domain/values/errors.ts'
import { createBudgets } from '../http/body.ts'
import { createRefusals } from '../http/refusals.ts'
import { createListener, createServerFor, watchConnections } from '../http/server.ts'
import type { Clock } from '../lib/clock.ts'
import { ownUrl } from '../lib/http/url.ts'
import type { Logger } from '../lib/logger.ts'

export type TrafficSwitch = ReturnType<typeof createTrafficSwitch>

/** Of the public listener, and of the operators' own. */
export interface Listeners {
  open: RequestListener
  admin: RequestListener
}

interface ActiveHandler extends Listeners {
  inside: number
  left: (() => void) | null
}

const UNAVAILABLE: RequestListener = (_, response) => void response.writeHead(503).end()

/** HTTP servers: one, or another for operators. Outlives reloads. */
export function createTrafficSwitch(
  { host, port, admin, limits, timeouts }: Config['server'],
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  const opened = new AsyncDisposableStack()
  const budgets = opened.use(createBudgets(limits, timeouts))
  const refusals = opened.use(createRefusals(clock, logger))
  const refused = refusals.note
  let isClosing = false
  let active: ActiveHandler = { open: UNAVAILABLE, admin: UNAVAILABLE, inside: 0, left: null }

  const passTo =
    (which: keyof Listeners): RequestListener =>
    (request, response) => {
      if (isClosing) response.setHeader('Connection', 'close')
      const handler = active
      handler.inside += 1
      response.once('close', () => {
        handler.inside -= 1
        if (handler.inside === 0) handler.left?.()
      })
      handler[which](request, response)
    }

  const createWatched = (which: keyof Listeners, place: Place, key: string) => {
    const listener = createListener(passTo(which), refused)
    const server = createServerFor(listener, timeouts, refused)
    const connections = opened.use(
      watchConnections(server, {
        most: limits.connections,
        identify: timeouts.identify,
        cutOldest: () => budgets.known.cutOldest(),
        refused,
      }),
    )
    return { server, place, key, connections }
  }
  const main = createWatched('open', { host, port }, 'server')
  const own = admin && createWatched('admin', admin, 'server.admin')
  const all = own ? [main, own] : [main]

  return {
    traffic: {
      budgets,
      refusals,
      timings: createTimings(),
      connections: () => all.reduce((sum, { connections }) => sum + connections.count(), 0),
    },

    /** Listens; returns the URLs. Throws a UserError naming the config keys. */
    async open(): Promise<{ url: string; adminUrl: string | null }> {
      return { url: await openAt(main), adminUrl: own ? await openAt(own) : null }
    },

    /** Switches traffic to a new handler; resolves when the old one has drained. */
    switchTo(listeners: Listeners): Promise<void> {
      const before = active
      active = { ...listeners, inside: 0, left: null }
      const { promise, resolve } = Promise.withResolvers<void>()
      before.left = resolve
      if (before.inside === 0) resolve()
      return promise
    },

    /** Stops accepting; open requests get `patience` ms, idle connections `linger` ms for a last request. */
    async close(patience: number, linger: number): Promise<void> {
      isClosing = true
      await Promise.all(all.map(({ server }) => close(server, patience, linger)))
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(({ server }) => (server.listening ? close(server, 0) : null)))
      await opened.disposeAsync()
    },
  }
}

interface Place {
  host: string
  port: number
}

async function openAt({ server, place, key }: { server: Server; place: Place; key: string }): Promise<string> {
  try {
    return await listen(server, place)
  } catch (cause) {
    if (!(cause instanceof ListenError)) throw cause
    const why = `cannot listen on ${place.host}, port ${place.port} (${key}.host, ${key}.port): ${cause.message}`
    throw new UserError(why, { cause })
  }
}

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
export async function listen(server: Server, { host, port }: Place): Promise<string> {
  // A reusable port would be shared with any other process that asks.
  if (port !== 0 && (await isTaken({ host, port }))) throw new ListenError(LISTEN_FAULTS.EADDRINUSE)
  await listenOnSeveral(server, { host, port })
  const { port: actual } = server.address() as AddressInfo
  return ownUrl({ host, port: actual })
}

/** By connecting: listening briefly would reset clients. */
async function isTaken({ host, port }: Place): Promise<boolean> {
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
  // Unlike the HTTP server's method it keeps idle connections.
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
}

const MAX_TURNS = 500
