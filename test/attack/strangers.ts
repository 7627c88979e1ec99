import { connect, type Socket } from 'node:net'

/** Who attacks: raw connections that cost this process next to nothing. */
export interface Strangers extends Disposable {
  /** A new connection. Nothing that happens to it is an error. */
  connect(): Socket
  /**
   * Keeps so many connections open until the end: they come one after the other, and one that the hub closes is opened
   * anew after `pause` milliseconds.
   */
  keepOpen(count: number, begin: (socket: Socket) => void, pause?: number): void
  /** Sends a request, and the next one `pause` milliseconds after something was answered. */
  ask(socket: Socket, next: () => readonly Buffer[], pause: number): void
  /** Sends much, at the pace of one fast line for all. */
  pour: Pour['pour']
  readonly seen: Seen
}

/** How often each status was answered, how many connections were opened, and how many ended by the hub. */
export interface Seen {
  answers: Record<string, number>
  opened: number
  closed: number
}

/**
 * A new connection each so many milliseconds: Node accepts one in a turn of its loop, so that one process takes some 1,000 a second, and
 * who comes behind more of them waits in the system's queue, before any program has a say. That flood is the proxy's to stop.
 */
const EVERY = 2

const STATUS = /HTTP\/1\.1 (\d{3})/g

/** Opens connections to a port of this machine; all are hung up when the strangers are disposed of. */
export function createStrangers(port: number): Strangers {
  const sockets = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  const line = createPour()
  const seen: Seen = { answers: {}, opened: 0, closed: 0 }
  let over = false

  function open(): Socket {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    sockets.add(socket)
    seen.opened += 1
    socket.on('data', (bytes) => {
      for (const [, status = ''] of bytes.toString('latin1').matchAll(STATUS))
        seen.answers[status] = (seen.answers[status] ?? 0) + 1
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (!over) seen.closed += 1
    })
    return socket
  }

  function later(pause: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      act()
    }, pause)
    timers.add(timer)
  }

  /** When the next one may be opened. */
  let free = 0

  function replace(begin: (socket: Socket) => void, pause: number): void {
    const now = performance.now()
    free = Math.max(free + EVERY, now + pause)
    later(free - now, () => {
      const socket = open()
      begin(socket)
      socket.on('close', () => {
        if (!over) replace(begin, pause)
      })
    })
  }

  return {
    connect: open,
    keepOpen(count, begin, pause = 100) {
      for (let nth = 0; nth < count; nth++) replace(begin, nth === 0 ? 0 : pause)
    },
    ask(socket, next, pause) {
      let asked = false
      const send = () => {
        asked = true
        if (!socket.destroyed) line.pour(socket, next())
      }
      socket.on('data', () => {
        if (!asked) return
        asked = false
        later(pause, send)
      })
      send()
    },
    pour: line.pour,
    seen,
    [Symbol.dispose]() {
      over = true
      line[Symbol.dispose]()
      for (const timer of timers) clearTimeout(timer)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** What one fast line carries; loopback alone would give strangers all of the machine (bytes a second). */
const LINE = 200_000_000
const TICK_MS = 5
const ROOM = (LINE * TICK_MS) / 1_000

/** Sends what is large, a piece a turn for each connection. */
interface Pour extends Disposable {
  pour(socket: Socket, pieces: readonly Buffer[]): void
}

/** The buffers are sent as they are, and kept once however often they are sent. */
function createPour(): Pour {
  const flows: { socket: Socket; rest: Buffer[] }[] = []
  const timer = setInterval(flow, TICK_MS)

  function flow(): void {
    let room = ROOM
    for (let turns = flows.length; turns > 0 && room > 0; turns--) {
      const one = flows.shift()
      if (!one || one.socket.destroyed) continue
      if (one.socket.writableLength === 0) room -= send(one, room)
      if (one.rest.length > 0) flows.push(one)
    }
  }

  return {
    pour(socket, pieces) {
      const one = { socket, rest: [...pieces] }
      const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
      // What is small does not wait for its turn.
      if (size < 64_000) send(one, size)
      else flows.push(one)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** How much was sent. */
function send({ socket, rest }: { socket: Socket; rest: Buffer[] }, room: number): number {
  let sent = 0
  while (rest.length > 0 && sent < room) {
    const piece = rest.shift() ?? Buffer.alloc(0)
    const now = piece.subarray(0, room - sent)
    socket.write(now)
    sent += now.byteLength
    if (now.byteLength < piece.byteLength) rest.unshift(piece.subarray(now.byteLength))
  }
  return sent
}
