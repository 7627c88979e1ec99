import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A server of bytes, for what no HTTP server would do. */
export interface ByteServer extends AsyncDisposable {
  origin: string
  port: number
  connections: Socket[]
  requests: string[]
}

/**
 * Listens on loopback. `onRequest` is called with each piece of a request that arrives (small ones arrive in one), and
 * `onConnection` with each connection.
 */
export async function listen(
  onRequest: (socket: Socket, request: string) => void,
  onConnection: (socket: Socket) => void = () => {},
): Promise<ByteServer> {
  const connections: Socket[] = []
  const requests: string[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    onConnection(socket)
    socket.on('data', (bytes) => {
      requests.push(bytes.toString('latin1'))
      onRequest(socket, bytes.toString('latin1'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    connections,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
}

export function answer(status: number, body = '', headers = ''): string {
  return `HTTP/1.1 ${status} Word\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
