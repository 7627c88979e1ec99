import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

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

/** Takes no new connection, lets requests under way finish, and ends what is left after a while (milliseconds). */
export async function close(server: Server, patience: number): Promise<void> {
  const end = setTimeout(() => server.closeAllConnections(), patience)
  // A connection that was answered just before is idle only now.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
  clearTimeout(end)
}
