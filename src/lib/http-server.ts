import type { Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'

/** What keeps a server from listening, in plain words. */
export class ListenError extends Error {
  override name = 'ListenError'
}

const LISTEN_FAULTS: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such name',
}

/** Begins to listen; gives the address. Rejects with a ListenError. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      reject(new ListenError(LISTEN_FAULTS[cause.code ?? ''] ?? cause.message, { cause }))
    }
    server.once('error', refuse).listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${actual}`
}

/**
 * Takes no new connection, lets requests under way finish, and ends what is left after a while (milliseconds). For `linger`
 * it leaves connections alone that are idle: somebody may be sending on one of them at this moment, and would not know
 * whether that arrived.
 */
export async function close(server: Server, patience: number, linger = 0): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), patience)
  // Not the method of HTTP servers: that would end idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
  const lingered = linger === 0 ? null : setTimeout(sweepOn, linger)
  // A connection that was answered just before is idle only now.
  let sweep: NodeJS.Timeout | null = null
  function sweepOn() {
    server.closeIdleConnections()
    sweep = setInterval(() => server.closeIdleConnections(), 50)
  }
  if (!lingered) sweepOn()
  await closed
  for (const timer of [end, lingered, sweep]) if (timer) clearTimeout(timer)
}
