import type pg from 'pg'
import { BEGIN_BYTES } from './binary-rows.ts'
import type { Digest } from './digest.ts'

/** The end of all rows, in place of how many columns the next one has. */
const END_BYTES = 2

/**
 * Runs a COPY … TO STDOUT (FORMAT BINARY) as `copyIn` does the other way, and hashes what comes. Says how many rows came. None is
 * kept: each is hashed while the driver reads it.
 */
export async function copyOut(client: pg.Client, statement: string, digest: Digest): Promise<number> {
  const done = Promise.withResolvers<void>()
  let rows = 0
  let begun = false
  let failed: Error | null = null
  client.query({
    submit: (connection: pg.Connection) => connection.query(statement),
    // A message has one row; the first has the beginning of the stream before it, and the last the end alone.
    handleCopyData({ chunk }: { chunk: Buffer }) {
      const from = begun ? 0 : BEGIN_BYTES
      begun = true
      if (chunk.length - from <= END_BYTES) return
      digest.add(chunk, from, chunk.length)
      rows += 1
    },
    handleCommandComplete() {},
    handleReadyForQuery: () => (failed ? done.reject(failed) : done.resolve()),
    handleError(error: Error) {
      failed = error
      done.reject(error)
    },
  })
  await done.promise
  return rows
}
