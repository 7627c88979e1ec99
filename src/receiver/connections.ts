import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isRecognised } from '../lib/http/recognised.ts'
import type { Refused } from '../lib/http/refused.ts'

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

/** How often it is looked who has shown none for too long (milliseconds). */
const SWEEP = 500

/**
 * Watches over the connections of a server: there are only so many, and those of strangers last only so long. Where there are
 * too many, the stranger that has been there longest makes room, so that nobody keeps an honest sender out by holding
 * connections open.
 */
export function watchConnections(
  server: Server,
  { most, identify, cutOldest, refused }: Options,
): Disposable & { count(): number } {
  const open = new Set<Socket>()
  /** Connections that had shown nothing when they were looked at last, the oldest first. */
  const strangers = new Map<Socket, number>()

  function isStranger(socket: Socket): boolean {
    if (!isRecognised(socket)) return true
    strangers.delete(socket)
    return false
  }

  function oldestStranger(except: Socket): Socket | null {
    for (const socket of strangers.keys()) if (socket !== except && isStranger(socket)) return socket
    return null
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
