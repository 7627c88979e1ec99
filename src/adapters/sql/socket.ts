import { Socket } from 'node:net'
import { createLookup } from '../../lib/http/http-addresses.ts'
import type { SqlAddress } from './address.ts'

/** Between bytes that show that the other side is still there (milliseconds). */
const KEEP_ALIVE = 10_000

/**
 * A socket for a driver. However that asks for it, it connects to this address, whose name is looked up so that it cannot
 * lead to a link-local one.
 */
export function createSocket({ host, port }: Pick<SqlAddress, 'host' | 'port'>): Socket & { open(): void } {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const open = () => {
    connect({ host, port, lookup: createLookup() })
    socket.setNoDelay().setKeepAlive(true, KEEP_ALIVE)
  }
  return Object.assign(socket, {
    open,
    connect() {
      open()
      return socket
    },
  })
}
