import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib'
import { credentialOf } from '../lib/http/problem.ts'
import { free } from '../lib/thread.ts'
import { type Budget, INFLATION, type Refusal, type Share } from './budget.ts'

/** The body of a request, decoded as far as it could be. Whoever gets it read releases its share of the budget. */
export type Body =
  | {
      type: 'read'
      bytes: Buffer
      /** Why it could not be unpacked. The bytes are as they came, and may be plain whatever is said of them. */
      packed: string | null
      share: Share
    }
  | { type: 'too-large' /** As far as is known. */; size: number; limit: number }
  | { type: 'refused'; why: Refusal }

interface BodyRoom {
  limit: number
  /** Bytes that they may become; without it, as many. */
  decoded?: number
  budget: Budget
}

/** Larger bodies are read one a turn: many together would block the event loop (bytes). */
export const AT_ONCE = 32 * 1024

/**
 * Reads a request's body, as far as there is room for it, before and after decompression. Rejects if the sender breaks off:
 * then nothing is to be answered.
 */
export async function readBody(request: IncomingMessage, room: BodyRoom): Promise<Body> {
  const body = await readRaw(request, room)
  if (body.type !== 'read') return body
  const { bytes: raw, share } = body
  const encoding = request.headers['content-encoding']
  const limit = room.decoded ?? room.limit
  const plain = await unpack(raw, encoding, { limit, share })
  const type = request.headers['content-type']
  if (Buffer.isBuffer(plain)) {
    const beyond = plain.byteLength - INFLATION * raw.byteLength
    if (plain !== raw) free(raw)
    if (beyond <= 0 || room.budget.inflate(credentialOf(request.socket) ?? 'unknown', beyond))
      return { type: 'read', bytes: toUtf8(plain, type), packed: null, share }
    share.release()
    return { type: 'refused', why: 'inflated' }
  }
  if (plain === null) return { ...body, bytes: asText(raw, type), packed: whyPacked(encoding) }
  share.release()
  return plain === 'too-large' ? { type: 'too-large', size: limit + 1, limit } : { type: 'refused', why: plain }
}

/** Text is translated as any; bytes that are none are kept as they came. */
function asText(raw: Buffer, type: string | undefined): Buffer {
  const text = toUtf8(raw, type)
  return /^\s*[[{]/.test(text.toString('latin1', 0, 64)) ? text : raw
}

function whyPacked(encoding: string | undefined): string {
  return `not readable as ${encoding === undefined ? 'gzip' : `content-encoding ${encoding}`}`
}

/** A request's body byte by byte as it came, for who must check a signature over it. Rejects as readBody does. */
export async function readRaw(request: IncomingMessage, { limit, budget }: BodyRoom): Promise<Body> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) return { type: 'too-large', size: announced, limit }
  const body = await collect(request, limit, budget)
  if (body.type === 'read' && body.bytes.byteLength > AT_ONCE) await budget.slices.begin().next()
  return body
}

function collect(request: IncomingMessage, limit: number, budget: Budget): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const share = budget.open((why) => endWith({ type: 'refused', why }))
    function endWith(body: Body) {
      share.release()
      for (const chunk of chunks.splice(0)) free(chunk)
      request.removeAllListeners('data')
      resolve(body)
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limit) endWith({ type: 'too-large', size: limit + 1, limit })
      else if (share.take(chunk.byteLength)) chunks.push(chunk)
      else endWith({ type: 'refused', why: 'over-budget' })
    })
    request.on('end', () => {
      share.whole()
      // A copy of its own: a chunk may be a slice of a large buffer, which it would keep alive for as long as it waits.
      const bytes = Buffer.concat(chunks)
      for (const chunk of chunks) free(chunk)
      resolve({ type: 'read', bytes, packed: null, share })
    })
    const breakOff = (error: Error) => {
      share.release()
      reject(error)
    }
    request.on('error', breakOff)
    request.on('close', () => {
      if (!request.complete) breakOff(new Error('The sender broke off.'))
    })
  })
}

/**
 * JSON is UTF-8, whatever a header claims; but a body that is truly written in another declared charset is translated,
 * so that everything behind this door may rely on UTF-8, without a byte order mark.
 */
function toUtf8(bytes: Buffer, contentType: string | undefined): Buffer {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase()
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return withoutMark(bytes)
  if (isUtf8(bytes) && !bytes.includes(0)) return withoutMark(bytes)
  try {
    return Buffer.from(new TextDecoder(orderOf(bytes, charset), { fatal: true }).decode(bytes))
  } catch {
    return bytes
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** Plain `utf-16` leaves it to the mark at its start which byte of two comes first. */
function orderOf(bytes: Buffer, charset: string): string {
  return charset === 'utf-16' && bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : charset
}

/** Packings in one another at most: each is work, and more were never seen. */
const MOST = 3

/**
 * A body without what it is packed in. The header may be wrong (a proxy packs or unpacks, and leaves it alone), and a webhook is
 * not sent again: what begins as gzip is read as gzip, whatever is said of it. Null: it cannot be unpacked, and may be plain.
 */
async function unpack(
  raw: Buffer,
  header: string | undefined,
  room: Room,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  const packing = packingOf(header)
  const said = packing.length > MOST ? null : await without(packing, raw, room)
  let plain = said ?? (isGzip(raw) ? raw : null)
  for (let n = 0; n < MOST && isGzip(plain); n++) plain = await decode(plain, 'gzip', room)
  return isGzip(plain) ? null : plain
}

async function without(packing: readonly string[], raw: Buffer, room: Room) {
  let plain: Awaited<ReturnType<typeof decode>> = raw
  for (const coding of packing.toReversed()) {
    if (!Buffer.isBuffer(plain)) return plain
    plain = await decode(plain, coding, room)
  }
  return plain
}

function isGzip(bytes: unknown): bytes is Buffer {
  return Buffer.isBuffer(bytes) && bytes[0] === 0x1f && bytes[1] === 0x8b
}

interface Room {
  limit: number
  share: Pick<Share, 'take' | 'alone'>
}

/** Larger bodies are decoded one at a time: several would take every processor and much memory (bytes). */
const SMALL = 64 * 1024

/** Bytes that are decoded before they are counted. */
const STEP = SMALL

/**
 * Decompresses a body step by step, so that a few bytes which become many are stopped as soon as they are too many. Null: it is
 * not what its encoding says, or it says so of a part of it only.
 */
async function decode(
  raw: Buffer,
  encoding: string,
  { limit, share }: Room,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  if (encoding === 'gzip' && hasManyMembers(raw)) return null
  const small = await upTo(Math.min(SMALL, limit), decoderOf(encoding, raw), raw, () => true)
  if (small !== 'too-large' || limit <= SMALL) return small
  // The decoding begins anew when it is its turn: a decoder that waits would hold its window meanwhile.
  return await share.alone(() => upTo(limit, decoderOf(encoding, raw), raw, share.take))
}

/** Some write deflate without the frame that HTTP asks for: its first byte tells. */
function decoderOf(encoding: string, raw: Buffer): Decoder | null {
  const isFramed = ((raw[0] ?? 0) & 0x0f) === 8
  return createDecoder(encoding === 'deflate' && !isFramed ? 'deflate-raw' : encoding, STEP)
}

async function upTo(
  limit: number,
  decoder: Decoder | null,
  raw: Buffer,
  take: Share['take'],
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  if (!decoder) return null
  const chunks: Buffer[] = []
  let size = 0
  try {
    decoder.end(raw)
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > limit) return 'too-large'
      if (!take(chunk.byteLength)) return 'over-budget'
      chunks.push(chunk)
    }
    // A decoder stops at the end of what is compressed and says nothing of the bytes behind it: they would be lost.
    return decoder.bytesWritten === raw.byteLength ? Buffer.concat(chunks) : null
  } catch {
    return null
  } finally {
    for (const chunk of chunks) free(chunk)
    decoder.destroy()
  }
}

export type Decoder = BrotliDecompress | Gunzip | Inflate | InflateRaw

const DECODERS = {
  gzip: createGunzip,
  deflate: createInflate,
  'deflate-raw': createInflateRaw,
  br: createBrotliDecompress,
}

/** The head of a gzip member. In what is compressed it stands once in sixteen million bytes by chance. */
const GZIP_MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

/** Writers that go on with a file begin a member now and then; a body of hundreds of thousands takes seconds to unpack to nothing. */
const MAX_MEMBERS = 256

/** True if gzip has more members than any real writer makes. */
export function hasManyMembers(gzip: Buffer): boolean {
  let count = 0
  for (let at = gzip.indexOf(GZIP_MEMBER); at !== -1; at = gzip.indexOf(GZIP_MEMBER, at + 3)) {
    count += 1
    if (count > MAX_MEMBERS) return true
  }
  return false
}

/** What decompresses a body of one packing, `chunkSize` bytes at a time; null: the hub does not know it. */
export function createDecoder(encoding: string, chunkSize?: number): Decoder | null {
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS] : null
  return create?.(chunkSize === undefined ? {} : { chunkSize }) ?? null
}

/** Names of no packing: what a sender, or what stands before it, writes where a body goes as it is. */
const PLAIN = ['', 'identity', 'none']

const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

/** What a body is packed in by its Content-Encoding, innermost first, in lower case; none: it goes as it is. */
export function packingOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => !PLAIN.includes(name)).map((name) => ALIASES[name] ?? name)
}
