import { once } from 'node:events'
import { connect } from 'node:net'
import { WEBHOOK_TOKEN } from '../hub.ts'

/** A connection that speaks HTTP byte by byte, and does not listen before it asks for the answer. */
export interface RawConnection extends Disposable {
  write(bytes: string | Uint8Array): Promise<void>
  breakOff(): void
  /** All that was answered, once the other side has closed or a pattern occurs in it. */
  answer(until?: RegExp): Promise<string>
}

export async function connectTo(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let closed = false
  const changed = new EventTarget()
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    changed.dispatchEvent(new Event('change'))
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    closed = true
    changed.dispatchEvent(new Event('change'))
  })
  await once(socket, 'connect')
  socket.pause()
  return {
    write: (bytes) => new Promise((resolve) => void socket.write(bytes, () => resolve())),
    breakOff: () => socket.destroy(),
    async answer(until) {
      socket.resume()
      while (!closed && !until?.test(text)) await once(changed, 'change')
      return text
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

export function head(kind: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'hub', 'content-type': 'application/json', ...headers })
  return `POST /webhooks/${kind}?token=${WEBHOOK_TOKEN} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
