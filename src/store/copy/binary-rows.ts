import { textOf } from '../tables/statement.ts'
import type { Digest } from './digest.ts'

export type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'uuid' | 'bytea'

/** Bytes, about; one row may be larger. */
const CHUNK = 256 * 1024

/** Signature, no flags, no header extension. */
const BEGIN = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
export const BEGIN_BYTES = BEGIN.length

const NULL = -1
const TWO_32 = 2 ** 32

/**
 * PostgreSQL's binary COPY format in chunks, each with `before` free bytes first and valid until the next but one.
 * Returns the number of rows.
 */
export function* binaryRows(
  types: readonly ColumnType[],
  rows: Iterable<readonly unknown[]>,
  { before, digest, onRows }: { before: number; digest: Digest; onRows: (rows: number) => void },
): Generator<Buffer, number> {
  const spare = [createBytes(before), createBytes(before)] as const
  let bytes = spare[0]
  let nth = 0
  let count = 0
  let inChunk = 0
  bytes.bytes(BEGIN)
  for (const row of rows) {
    const from = bytes.size()
    bytes.int16(types.length)
    for (let index = 0; index < types.length; index++) writeValue(bytes, types[index], row[index])
    bytes.digest(digest, from)
    count += 1
    inChunk += 1
    if (bytes.size() < CHUNK) continue
    yield bytes.take()
    onRows(inChunk)
    inChunk = 0
    nth += 1
    bytes = spare[nth % 2 === 0 ? 0 : 1]
  }
  bytes.int16(NULL)
  yield bytes.take()
  onRows(inChunk)
  return count
}

function writeValue(bytes: Bytes, type: ColumnType | undefined, value: unknown): void {
  if (value === null) bytes.int32(NULL)
  else if (type === 'text' && typeof value === 'string') bytes.text(value)
  else if (type === 'bigint' && typeof value === 'number') bytes.int32(8).int64(Math.round(value))
  else if (type === 'integer' && typeof value === 'number') bytes.int32(4).int32(Math.round(value))
  else if (type === 'boolean' && typeof value === 'number') bytes.int32(1).int8(value)
  else if ((type === 'bytea' || type === 'uuid') && value instanceof Uint8Array)
    bytes.int32(value.byteLength).bytes(value)
  else throw new Error(`A ${typeof value} is no ${type}.`)
}

type Bytes = ReturnType<typeof createBytes>

/** A growing buffer, reused. */
function createBytes(before: number) {
  let buffer = Buffer.allocUnsafe(2 * CHUNK)
  let at = before

  function room(more: number) {
    if (at + more <= buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (at + more))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }

  const self = {
    size: () => at,

    digest: (digest: Digest, from: number) => digest.add(buffer, from, at),

    take(): Buffer {
      const taken = buffer.subarray(0, at)
      at = before
      return taken
    },

    int8(value: number) {
      room(1)
      at = buffer.writeInt8(value, at)
    },
    int16(value: number) {
      room(2)
      at = buffer.writeInt16BE(value, at)
    },
    int32(value: number) {
      room(4)
      at = buffer.writeInt32BE(value, at)
      return self
    },
    /** Faster than by BigInt. */
    int64(value: number) {
      room(8)
      const high = Math.floor(value / TWO_32)
      at = buffer.writeInt32BE(high, at)
      at = buffer.writeUInt32BE(value - high * TWO_32, at)
    },
    bytes(value: Uint8Array) {
      room(value.byteLength)
      buffer.set(value, at)
      at += value.byteLength
    },
    /** Length-prefixed; lone surrogates become U+FFFD by themselves. */
    text(value: string) {
      room(4 + 3 * value.length)
      const length = buffer.write(value.includes('\0') ? textOf(value) : value, at + 4)
      buffer.writeInt32BE(length, at)
      at += 4 + length
    },
  }
  return self
}
