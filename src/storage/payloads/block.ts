import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { UserError } from '../../domain/values/errors.ts'

/*
 * Payloads of one kind in one blob: version, hash and length, then a zstd frame of count, ids (first, then deltas),
 * header lengths, body lengths, headers, bodies. Like lies with like.
 */

const VERSION = 1
const HASH = 16
const PROLOGUE = 1 + HASH + 4
const HEAD = 4 + 8

/**
 * Above 12: twice the time for 4 %; level 6: a third of the time for 6 % more (docs/adr/0017-blocks-of-payloads.md).
 */
const LEVEL = 12

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

export type Unpacked = ReadonlyMap<number, Payload>

export async function packBlock(payloads: readonly Payload[]): Promise<{ size: number; body: Buffer }> {
  const plain = plainOf(payloads)
  const prologue = Buffer.alloc(PROLOGUE)
  prologue.writeUInt8(VERSION, 0)
  Buffer.from(digestOf(plain), 'hex').copy(prologue, 1, 0, HASH)
  prologue.writeUInt32LE(plain.byteLength, 1 + HASH)
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  // With the size pledged zstd allocates less: a fifth of the time.
  const frame = await compress(plain, { params, pledgedSrcSize: plain.byteLength })
  return { size: plain.byteLength, body: Buffer.concat([prologue, frame]) }
}

export async function unpackBlock(body: Uint8Array): Promise<Unpacked> {
  const { frame, length, digest } = kept(body)
  return payloadsOf(await whole(() => decompress(frame, { maxOutputLength: length })), digest)
}

export function unpackBlockSync(body: Uint8Array): Unpacked {
  const { frame, length, digest } = kept(body)
  try {
    return payloadsOf(zstdDecompressSync(frame, { maxOutputLength: length }), digest)
  } catch (error) {
    throw asBroken(error)
  }
}

export function digestOfPayloads(payloads: readonly Payload[]): string {
  return digestOf(plainOf(payloads))
}

function digestOf(plain: Uint8Array): string {
  return hash('sha256', plain)
}

function plainOf(payloads: readonly Payload[]): Buffer {
  const headers = payloads.map((one) => Buffer.from(one.headers))
  const head = Buffer.alloc(HEAD + 12 * payloads.length)
  head.writeUInt32LE(payloads.length, 0)
  head.writeDoubleLE(payloads[0]?.id ?? 0, 4)
  payloads.forEach(({ id, body }, nth) => {
    const before = payloads[nth - 1]?.id ?? id
    const at = (column: number) => HEAD + 4 * (column * payloads.length + nth)
    head.writeUInt32LE(id - before, at(0))
    head.writeUInt32LE(headers[nth]?.byteLength ?? 0, at(1))
    head.writeUInt32LE(body.byteLength, at(2))
  })
  return Buffer.concat([head, ...headers, ...payloads.map(({ body }) => body)])
}

function kept(body: Uint8Array): { frame: Uint8Array; length: number; digest: string } {
  if (!(body instanceof Uint8Array)) throw new BrokenBlockError('it is no bytes')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (bytes.byteLength < PROLOGUE) throw new BrokenBlockError('it is cut short')
  const version = bytes.readUInt8(0)
  if (version !== VERSION) throw new BrokenBlockError(`it is of version ${version}, and this program knows ${VERSION}`)
  return {
    frame: bytes.subarray(PROLOGUE),
    length: bytes.readUInt32LE(1 + HASH),
    digest: bytes.toString('hex', 1, 1 + HASH),
  }
}

async function whole<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asBroken(error)
  }
}

function asBroken(error: unknown): unknown {
  if (error instanceof BrokenBlockError) return error
  return new BrokenBlockError('its bytes are not those that were packed', { cause: error })
}

function payloadsOf(plain: Buffer, digest: string): Unpacked {
  if (!digestOf(plain).startsWith(digest)) throw new BrokenBlockError('its bytes are not those that were packed')
  const count = plain.readUInt32LE(0)
  const at = (column: number, nth: number) => plain.readUInt32LE(HEAD + 4 * (column * count + nth))
  const payloads = new Map<number, Payload>()
  let id = plain.readDoubleLE(4)
  let header = HEAD + 12 * count
  let body = header
  for (let nth = 0; nth < count; nth++) body += at(1, nth)
  for (let nth = 0; nth < count; nth++) {
    id += at(0, nth)
    const [headers, length] = [at(1, nth), at(2, nth)]
    payloads.set(id, {
      id,
      headers: plain.toString('utf8', header, header + headers),
      // A copy: posting it to a thread would clone the block.
      body: Buffer.from(new Uint8Array(plain.subarray(body, body + length)).buffer),
    })
    header += headers
    body += length
  }
  return payloads
}

export interface Payload {
  id: number
  headers: string
  body: Uint8Array
}

export interface PayloadsToDrop {
  kind: string
  upTo: number
  except: readonly number[]
  after?: number
}

export const FIRST_BLOCK = -1

export interface Drops {
  drops: Drop[]
  after: number | null
}

export interface Packed {
  payloads: number
  blocks: number
  bytes: number
  plainBytes: number
}

export interface NewBlock {
  kind: string
  firstEvent: number
  lastEvent: number
  payloads: number
  size: number
  body: Uint8Array
}

/** A replacement in one commit; nothing is done where its basis has changed. */
export interface Swap {
  blocksOut: number[]
  blocksIn: NewBlock[]
  rowsOut: { ids: number[]; digest: string | null }
  rowsChanged: { id: number; headers: string; body: Uint8Array; digest: string }[]
  sizes: { id: number; size: number }[]
  /** Deleted for good; nothing is done under a legal hold or with an unsettled delivery. */
  gone: { events: number[]; blocks: number[] }
}

export interface Drop {
  swap: Swap
  dropped: number
}

export const NO_SWAP: Swap = {
  blocksOut: [],
  blocksIn: [],
  rowsOut: { ids: [], digest: null },
  rowsChanged: [],
  sizes: [],
  gone: { events: [], blocks: [] },
}

export class BrokenBlockError extends UserError {
  override name = 'BrokenBlockError'
  readonly code = 'broken-block'

  static named(block: { id: number; kind: string; firstEvent: number; lastEvent: number }, error: unknown): unknown {
    if (!(error instanceof BrokenBlockError)) return error
    const { id, kind, firstEvent, lastEvent } = block
    // Without cause: readers rethrow the cause of drizzle's errors.
    return new BrokenBlockError(
      `Row ${id} of payload_blocks, with the payloads of ${kind} from event ${firstEvent} to ${lastEvent}, cannot be read: ${error.message}. Put the row back from a backup.`,
    )
  }
}
