import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { bytesOf, sale } from '../fixtures/payloads.ts'
import { webhook } from './requests.ts'

/** How long proxies keep a connection that nobody uses (seconds); the hub must keep it longer. */
export const PROXIES_KEEP = 70

/** Where webhooks of sales go. */
interface Door {
  port: number
  path: string
}

/** The heads of the answers to two webhooks on one connection that nobody uses in between. Rejects when it is closed. */
export async function askTwice({ port, path }: Door, idleSeconds: number): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = once(socket, 'close').then(() => {
    throw new Error('The hub closed the connection.')
  })
  closed.catch(() => {})
  try {
    const first = await Promise.race([ask(socket, path, '1'), closed])
    await pause(idleSeconds * 1_000)
    return [first, await Promise.race([ask(socket, path, '2'), closed])]
  } finally {
    socket.destroy()
  }
}

async function ask(socket: Socket, path: string, receiptNo: string): Promise<string> {
  const body = Buffer.from(bytesOf(sale({ receiptNo })))
  socket.write(Buffer.concat(webhook(path, body)))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString('latin1')
}
