import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { now } from './clock.ts'
import { RECEIPT_PREFIX } from './sale.ts'

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const PREFIX = Buffer.from(RECEIPT_PREFIX)
const LENGTH = /content-length: (\d+)/i
const ID = /webhook-id: ([^\r]+)/i
const ANSWER = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')

/** First arrivals: event `events[i]` came at `at[i]`. */
export interface Arrivals {
  events: number[]
  at: number[]
}

/** A loopback receiver that costs next to nothing: answers 204, counts, and remembers when each event first came. */
export interface Receiver extends AsyncDisposable {
  port: number
  received(): number
  /** Different webhook-ids. */
  unique(): number
  arrivals: Arrivals
}

export interface ReceiverOptions {
  /** Takes everything and never answers. */
  hang?: boolean
  onArrival?: (event: number) => void
}

export async function openReceiver({ hang = false, onArrival }: ReceiverOptions = {}): Promise<Receiver> {
  const ids = new Set<string>()
  const arrivals: Arrivals = { events: [], at: [] }
  const sockets = new Set<Socket>()
  let received = 0
  const server = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    unique: () => ids.size,
    arrivals,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  function serve(socket: Socket): void {
    let pending: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      for (let end = take(pending); end > 0; end = take(pending)) {
        pending = pending.subarray(end)
        if (!hang) socket.write(ANSWER)
      }
    })
  }

  /** Takes the first request, if it is there as a whole, and says where it ends. */
  function take(bytes: Buffer): number {
    const headEnd = bytes.indexOf(END_OF_HEAD)
    if (headEnd < 0) return 0
    const head = bytes.toString('latin1', 0, headEnd)
    const start = headEnd + END_OF_HEAD.length
    const end = start + Number(LENGTH.exec(head)?.[1] ?? 0)
    if (end > bytes.length) return 0
    received++
    const number = bytes.indexOf(PREFIX, start) + PREFIX.length
    arrive(ID.exec(head)?.[1] ?? '', Number(bytes.toString('latin1', number, number + 9)))
    return end
  }

  function arrive(id: string, event: number): void {
    if (ids.has(id)) return
    ids.add(id)
    arrivals.events.push(event)
    arrivals.at.push(now())
    onArrival?.(event)
  }
}
