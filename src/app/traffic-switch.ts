import type { RequestListener } from 'node:http'
import type { Config } from '../config/config.ts'
import { UserError } from '../domain/values/errors.ts'
import { createBudgets } from '../http/budget.ts'
import { createRefusals } from '../http/problem.ts'
import { createListener, createServerFor, watchConnections } from '../http/server.ts'
import type { Clock } from '../lib/clock.ts'
import { close, ListenError, listen } from '../lib/http/http-server.ts'
import type { Logger } from '../lib/logger.ts'
import type { Base } from './infrastructure.ts'

/** HTTP server. Outlives reloads. */
export interface TrafficSwitch extends AsyncDisposable, Pick<Base, 'traffic'> {
  /** Listens; returns the URL. Throws a UserError naming the config keys. */
  open(): Promise<string>
  /** Switches traffic to a new handler; resolves when the old one has drained. */
  lead(listener: RequestListener): Promise<void>
  /** Stops accepting; open requests get `patience` ms, idle connections `linger` ms for a last request. */
  close(patience: number, linger: number): Promise<void>
}

interface Hall {
  listener: RequestListener
  inside: number
  left: (() => void) | null
}

const UNAVAILABLE: RequestListener = (_, response) => void response.writeHead(503).end()

export function createTrafficSwitch(
  { host, port, limits, timeouts }: Config['server'],
  { clock, logger }: { clock: Clock; logger: Logger },
): TrafficSwitch {
  const opened = new AsyncDisposableStack()
  const budgets = opened.use(createBudgets(limits, timeouts))
  const refusals = opened.use(createRefusals(clock, logger))
  const refused = refusals.note
  let isClosing = false
  let hall: Hall = { listener: UNAVAILABLE, inside: 0, left: null }

  const pass: RequestListener = (request, response) => {
    const here = hall
    here.inside += 1
    response.once('close', () => {
      here.inside -= 1
      if (here.inside === 0) here.left?.()
    })
    here.listener(request, response)
  }

  const server = createServerFor(createListener(pass, { refused, isStopping: () => isClosing }), timeouts, refused)
  const connections = opened.use(
    watchConnections(server, {
      most: limits.connections,
      identify: timeouts.identify,
      cutOldest: () => budgets.known.cutOldest(),
      refused,
    }),
  )

  return {
    traffic: { budgets, refusals, connections: connections.count },

    async open() {
      try {
        return await listen(server, { host, port })
      } catch (cause) {
        if (!(cause instanceof ListenError)) throw cause
        const why = `cannot listen on ${host}, port ${port} (server.host, server.port): ${cause.message}`
        throw new UserError(why, { cause })
      }
    },

    lead(listener) {
      const before = hall
      hall = { listener, inside: 0, left: null }
      const { promise, resolve } = Promise.withResolvers<void>()
      before.left = resolve
      if (before.inside === 0) resolve()
      return promise
    },

    async close(patience, linger) {
      isClosing = true
      await close(server, patience, linger)
    },

    async [Symbol.asyncDispose]() {
      if (server.listening) await close(server, 0)
      await opened.disposeAsync()
    },
  }
}
