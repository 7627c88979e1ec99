import { once } from 'node:events'
import { connect } from 'node:net'

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LENGTH = /content-length: (\d+)/i

/** One kept-alive connection with at most one request under way. */
export interface Connection {
  /** The buffer is only read until the answer is there; it may be used again from then on. */
  send(request: Buffer): void
  close(): void
}

interface Listener {
  onAnswer(status: number): void
  onError(error: Error): void
}

/** As cheap as Node gets: the generator shares its cores with the server that it measures. */
export async function openConnection(port: number, listener: Listener): Promise<Connection> {
  let received: Buffer = Buffer.alloc(0)
  let closing = false
  const onread = { buffer: Buffer.allocUnsafeSlow(16_384), callback: read }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(socket, 'connect')
  socket.on('error', listener.onError)
  socket.on('close', () => {
    if (!closing) listener.onError(new Error(`The server on port ${port} closed a connection.`))
  })
  return {
    send: (request) => void socket.write(request),
    close() {
      closing = true
      socket.destroy()
    },
  }

  function read(count: number, buffer: Uint8Array): boolean {
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, count)
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const end = answerEnd(received)
    if (end > received.length) {
      received = Buffer.from(received)
      return true
    }
    const status = Number(received.toString('latin1', 9, 12))
    received = Buffer.alloc(0)
    listener.onAnswer(status)
    return true
  }
}

/** Where the answer ends; infinite while that cannot be known. An answer without a length has no body. */
export function answerEnd(bytes: Buffer): number {
  const head = bytes.indexOf(END_OF_HEAD)
  if (head < 0) return Number.POSITIVE_INFINITY
  return head + END_OF_HEAD.length + Number(LENGTH.exec(bytes.toString('latin1', 0, head))?.[1] ?? 0)
}
