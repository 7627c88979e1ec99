import type pg from 'pg'
import { BEGIN_BYTES } from './binary-rows.ts'
import type { Digest } from './digest.ts'

/** Bytes of the protocol before each piece. */
export const BEFORE = 5
const COPY_DATA = 'd'.charCodeAt(0)
const COPY_DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, 4])

/**
 * COPY … FROM STDIN by node-postgres' submittable interface, one piece ahead. Overwrites the first `BEFORE` bytes of a
 * piece; returns the server's row count.
 */
export async function copyIn(client: pg.Client, statement: string, pieces: Iterable<Buffer>): Promise<number> {
  let taken = 0
  const begun = Promise.withResolvers<pg.Connection>()
  const done = Promise.withResolvers<void>()
  // Unhandled when the statement itself is refused.
  done.promise.catch(() => undefined)
  let failed: Error | null = null
  client.query({
    submit: (connection: pg.Connection) => connection.query(statement),
    handleCopyInResponse: begun.resolve,
    handleCommandComplete({ text }: { text: string }) {
      taken = rowsTold(text)
    },
    handleReadyForQuery: () => done.resolve(),
    handleError(error: Error) {
      failed = error
      begun.reject(error)
      done.reject(error)
    },
  })
  const { stream } = await begun.promise
  let underWay: Promise<unknown> = Promise.resolve()
  for (const piece of pieces) {
    piece[0] = COPY_DATA
    piece.writeInt32BE(piece.length - 1, 1)
    await underWay
    // The server ignores the rest, and the connection may be gone.
    if (failed) throw failed
    underWay = written(stream, piece).catch((error) => {
      failed ??= error
    })
  }
  await underWay
  if (failed) throw failed
  stream.write(COPY_DONE)
  await done.promise
  return taken
}

/** `COPY 123`. */
function rowsTold(tag: string): number {
  return Number(tag.split(' ')[1])
}

function written(stream: pg.Connection['stream'], bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

/** Trailer in place of a column count. */
const END_BYTES = 2

/** COPY … TO STDOUT (FORMAT BINARY), hashed on arrival; returns the number of rows. */
export async function copyOut(client: pg.Client, statement: string, digest: Digest): Promise<number> {
  const done = Promise.withResolvers<void>()
  let rows = 0
  let begun = false
  let failed: Error | null = null
  client.query({
    submit: (connection: pg.Connection) => connection.query(statement),
    // One row per message, the header before the first, the trailer in the last.
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
