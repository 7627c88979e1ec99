import { untilAborted } from '../aborting.ts'
import { FilesError } from '../files-error.ts'
import type { Transport } from '../transport.ts'
import { createTurns } from '../turns.ts'
import { connectSftp, type SftpConnection } from './connection.ts'
import { filesOver } from './files.ts'
import type { SftpOptions } from './options.ts'

export interface SftpLimits {
  /** At most so many connections. */
  connections: number
  /** The time that making one connection may take (milliseconds). */
  timeout: number
  /** How long the server may leave one request unanswered, before the connection is cut (milliseconds); else the signal alone ends it. */
  silence?: number
}

/** A connection that nobody uses is closed after so long (milliseconds). */
const IDLE = 60_000

/** A folder of an SFTP server. Connections are made when they are needed, and kept for a while. */
export function createSftpFolder(options: SftpOptions, { connections, ...limits }: SftpLimits): Transport {
  const turns = createTurns(connections)
  const all = new Set<SftpConnection>()
  const idle = new Map<SftpConnection, NodeJS.Timeout>()
  const closing = new AbortController()

  /** Never more than there are turns: one is made only where none is idle. */
  async function take(signal: AbortSignal): Promise<SftpConnection> {
    for (const [connection, timer] of idle) {
      clearTimeout(timer)
      idle.delete(connection)
      if (connection.isOpen()) return connection
      all.delete(connection)
    }
    const made = await connectSftp(options, limits, AbortSignal.any([signal, closing.signal]))
    all.add(made)
    return made
  }

  function returnToPool(connection: SftpConnection): void {
    if (!connection.isOpen() || closing.signal.aborted) drop(connection)
    else
      idle.set(
        connection,
        setTimeout(() => drop(connection), IDLE),
      )
  }

  function drop(connection: SftpConnection): void {
    clearTimeout(idle.get(connection))
    idle.delete(connection)
    all.delete(connection)
    connection.close()
  }

  return {
    where: `sftp://${options.host}:${options.port}/${options.folder.replace(/^\/+/, '')}`,
    use: (signal, work) =>
      turns.take(signal, async () => {
        if (closing.signal.aborted) throw new FilesError('unreachable', 'is not used any more: the hub is stopping.')
        const connection = await take(signal)
        try {
          return await untilAborted(signal, () => work(filesOver(connection, options.folder, signal)))
        } finally {
          // Requests still under way on it must not be met by the next user of it.
          if (signal.aborted) drop(connection)
          else returnToPool(connection)
        }
      }),
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const connection of all) drop(connection)
    },
  }
}
