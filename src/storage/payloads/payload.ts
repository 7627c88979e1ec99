import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib'
import { UserError } from '../../domain/values/errors.ts'
import type { Instant } from '../../domain/values/instant.ts'
import { DICTIONARY_1 } from './dictionary.ts'

export interface Payload {
  id: number
  headers: string
  body: Uint8Array
}

/** As its row has it: compressed against a dictionary, `body` holds the headers, too. */
export interface StoredPayload extends Payload {
  dictionary: number | null
}

export interface CompressedPayload {
  plain: Payload
  body: Uint8Array
  dictionary: number
}

const DICTIONARIES: Record<number, Buffer> = { 1: Buffer.from(DICTIONARY_1) }
const NEWEST = 1

/** Level 3: a tenth more bytes; 12: eight times the time for no fewer. */
const params = { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_checksumFlag]: 1 }

const compress = promisify(zstdCompress)

/** Between headers and body: JSON has none. */
const BETWEEN = Buffer.from([0])

/** Null: it gets no smaller. */
export async function compressed(plain: Payload): Promise<CompressedPayload | null> {
  const bytes = bytesOf(plain)
  const options = { params, dictionary: DICTIONARIES[NEWEST], pledgedSrcSize: bytes.byteLength }
  const body = copyOf(await compress(bytes, options))
  return body.byteLength < bytes.byteLength ? { plain, body, dictionary: NEWEST } : null
}

/** Throws BrokenPayloadError. */
export function payloadOf({ dictionary, ...stored }: StoredPayload): Payload {
  if (dictionary === null) return stored
  const known = DICTIONARIES[dictionary]
  const bytes = known === undefined ? null : decompressed(stored.body, known)
  if (bytes === null) {
    const why =
      known === undefined
        ? `this program knows no dictionary ${dictionary}`
        : 'its bytes are not those that were written'
    throw new BrokenPayloadError(
      `The payload of event ${stored.id} cannot be read: ${why}. Put its row of the table payloads back from a backup.`,
    )
  }
  const end = bytes.indexOf(BETWEEN)
  return { id: stored.id, headers: bytes.toString('utf8', 0, end), body: copyOf(bytes.subarray(end + 1)) }
}

/** Posting a part of a buffer to a thread would clone the whole. */
function copyOf(bytes: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer)
}

function decompressed(bytes: Uint8Array, dictionary: Buffer): Buffer | null {
  try {
    return zstdDecompressSync(bytes, { dictionary })
  } catch {
    return null
  }
}

export function bytesOf({ headers, body }: Payload): Buffer {
  return Buffer.concat([Buffer.from(headers), BETWEEN, body])
}

const FRAME = Buffer.from('28b52ffd', 'hex')

/** What compressed payloads say whose bytes begin in this part of a file, in rows or in room that is free again. */
export function* payloadsIn(bytes: Buffer, from: number, to: number): Generator<Buffer> {
  for (let at = bytes.indexOf(FRAME, from); at >= 0 && at < to; at = bytes.indexOf(FRAME, at + 1))
    for (const dictionary of Object.values(DICTIONARIES)) {
      const found = decompressed(bytes.subarray(at), dictionary)
      if (found !== null) yield found
    }
}

export class BrokenPayloadError extends UserError {
  override name = 'BrokenPayloadError'
  readonly code = 'broken-payload'
}

/** `after` null: only young ones are left. */
interface Compressed {
  payloads: number
  bytes: number
  plainBytes: number
  after: number | null
}

export type CompressPayloads = (after: number, before: Instant) => Promise<Compressed>

/** Compressed off the writer, which writes those that are still as they were read. */
export function createCompressing(
  reading: {
    toCompress(...asked: Parameters<CompressPayloads>): Promise<{ rows: CompressedPayload[]; after: number | null }>
  },
  write: (rows: readonly CompressedPayload[]) => Promise<readonly number[]>,
): CompressPayloads {
  return async (after, before) => {
    const found = await reading.toCompress(after, before)
    const written = new Set(found.rows.length === 0 ? [] : await write(found.rows))
    const rows = found.rows.filter(({ plain }) => written.has(plain.id))
    return {
      payloads: rows.length,
      bytes: rows.reduce((sum, { body }) => sum + body.byteLength, 0),
      plainBytes: rows.reduce((sum, { plain }) => sum + bytesOf(plain).byteLength, 0),
      after: found.after,
    }
  }
}
