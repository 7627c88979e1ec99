import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** One call as it arrived: an HTTP request, a mail. */
export interface Call {
  /** `POST /hook?x=1`, or a protocol's own word for it. */
  line: string
  headers: Record<string, string>
  body: Buffer
}

/** A real server on loopback that does as it is told. `Script` is what a transport can be told. */
export interface Peer<Script> extends AsyncDisposable {
  /** What an operator would write as the address of this system. */
  readonly address: string
  /** How it treats every call from now on. Unless the script says otherwise, it says the whole call back. */
  play(script: Script): void
  readonly calls: Call[]
  readonly sockets: number
  until(state: () => boolean): Promise<void>
}

/** What an adapter must make of something that happens to it. */
export type Expected = 'delivered' | 'permanent' | 'item' | 'destination' | 'unknown'

/** One thing that may happen to a call, and what must come of it. */
export interface Situation<Script> {
  name: string
  script: Script
  expected: Expected
  /** The earliest next try, when the other side names one: seconds from now, or an instant. */
  notBefore?: { in: number } | { at: number }
  /** The adapter's timeout in milliseconds, where the situation needs a short one. */
  timeout?: number
}

/** All that the contract suite must know of a protocol. */
export interface Transport<Script> {
  start(): Promise<Peer<Script>>
  accept: Script
  inactivity: Script
  situations: Situation<Script>[]
  unreachable: { name: string; address: string }[]
}

/** Starts the server of a peer on loopback. */
export async function servePeer<Script>(
  server: Server,
  scheme: string,
  { calls, play, watch }: Pick<Peer<Script>, 'calls' | 'play'> & { watch: ReturnType<typeof createWatch> },
): Promise<Peer<Script>> {
  const open = trackSockets(server, watch.changed)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play,
    calls,
    get sockets() {
      return open.size
    },
    until: watch.until,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** The connections of a server that are open, as they come and go. */
function trackSockets(server: Server, changed: () => void): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    open.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket)
        changed()
      })
  })
  return open
}

/** Lets tests wait for a state that events of a server bring about. */
export function createWatch(): { changed(): void; until(state: () => boolean): Promise<void> } {
  const waiting = new Set<() => void>()
  return {
    changed() {
      for (const look of waiting) look()
    },
    until(state) {
      return new Promise((resolve) => {
        const look = () => {
          if (!state()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
    },
  }
}
