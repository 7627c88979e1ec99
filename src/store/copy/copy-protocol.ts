import type pg from 'pg'
import { BEGIN_BYTES } from './binary-rows.ts'
import type { Digest } from './digest.ts'

/** Bytes before each piece that are the protocol's. */
export const BEFORE = 5
/** A piece of rows: this sign, then its length. */
const COPY_DATA = 'd'.charCodeAt(0)
/** All rows were sent: a sign, and the length of nothing. */
const COPY_DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, 4])

/**
 * Runs a COPY … FROM STDIN. Node-postgres has no words for it, but takes objects that know their part of the protocol in
 * place of statements; this is what is needed of it. The first `BEFORE` bytes of a piece are overwritten. The next piece is
 * made while one is on its way: then the one before that has left. Says how many rows the server took.
 */
export async function copyIn(client: pg.Client, statement: string, pieces: Iterable<Buffer>): Promise<number> {
  let taken = 0
  const begun = Promise.withResolvers<pg.Connection>()
  const done = Promise.withResolvers<void>()
  // Nobody waits for it yet when the statement itself is refused.
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
    // The server takes no notice of the rest, and the connection may be gone.
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

/** How many rows a server has told of: `COPY 123`. */
function rowsTold(tag: string): number {
  return Number(tag.split(' ')[1])
}

function written(stream: pg.Connection['stream'], bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

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
