import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { credentialOf, type Refused } from '../lib/http/problem.ts'
import { idleSince } from './pipelining.ts'

interface Options {
  /** Connections at a time. */
  most: number
  /** How long one may go without having shown a credential (milliseconds). */
  identify: number
  /** Cuts off a body that has been coming for long, which ends its connection; false: there is none. */
  cutOldest: () => boolean
  refused: Refused
}

/** Connections that were cut off are still there for a moment, until they were told so; beyond this nobody is let in (times `most`). */
const OVERLAP = 1.25

/** An honest sender shows its credential at once: who has just come is not the first to go (milliseconds). */
const YOUNG = 500

/** Idle connections of known senders make room only beyond this part of `most`: a crowd of strangers closes none of them. */
const IDLE_SHARE = 0.5

/** How often it is looked who has shown none for too long (milliseconds). */
const SWEEP = 500

/**
 * Watches over the connections of a server: there are only so many, and those of strangers last only so long. Where there are
 * too many, one makes room: the stranger that has been there longest; else, of the credential that holds the most connections,
 * the one that has been idle longest. So nobody keeps an honest sender out by holding connections open, with a credential or without.
 */
export function watchConnections(
  server: Server,
  { most, identify, cutOldest, refused }: Options,
): Disposable & { count(): number } {
  const open = new Set<Socket>()
  /** Connections that had shown nothing when they were looked at last, the oldest first. */
  const strangers = new Map<Socket, number>()

  function isStranger(socket: Socket): boolean {
    if (credentialOf(socket) === null) return true
    strangers.delete(socket)
    return false
  }

  function oldestStranger(except: Socket): Socket | null {
    for (const socket of strangers.keys()) if (socket !== except && isStranger(socket)) return socket
    return null
  }

  function longestIdle(): Socket | null {
    const shares = new Map<string, { count: number; since: number; socket: Socket }>()
    let all = 0
    for (const socket of open) {
      const since = idleSince(socket)
      const who = since === null ? null : credentialOf(socket)
      if (since === null || who === null) continue
      all += 1
      const share = shares.get(who) ?? { count: 0, since, socket }
      shares.set(who, { ...(since < share.since ? { since, socket } : share), count: share.count + 1 })
    }
    if (all <= most * IDLE_SHARE) return null
    const largest = [...shares.values()].reduce((a, b) => (b.count > a.count ? b : a))
    return largest.socket
  }

  function drop(socket: Socket, why: string): void {
    strangers.delete(socket)
    open.delete(socket)
    refused(why, socket.remoteAddress)
    socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    strangers.set(socket, performance.now())
    socket.once('close', () => {
      open.delete(socket)
      strangers.delete(socket)
    })
    if (open.size <= most) return
    const oldest = oldestStranger(socket)
    const since = oldest && strangers.get(oldest)
    if (oldest && performance.now() - Number(since) >= YOUNG) return drop(oldest, 'too-many-connections')
    const idle = longestIdle()
    if (idle) return drop(idle, 'too-many-connections')
    if (cutOldest() && open.size <= most * OVERLAP) return
    drop(oldest ?? socket, 'too-many-connections')
  })

  const sweeping = setInterval(() => {
    const now = performance.now()
    for (const [socket, since] of strangers) {
      if (!isStranger(socket)) continue
      if (now - since < identify) return
      drop(socket, 'not-identified')
    }
  }, SWEEP)

  return {
    count: () => open.size,
    [Symbol.dispose]: () => clearInterval(sweeping),
  }
}
