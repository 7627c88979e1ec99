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
import type { Limits, Timeouts } from '../config/sections.ts'
import { createSemaphore, createTimeSlices, type TimeSlices } from '../lib/semaphore.ts'
import { free } from '../lib/thread.ts'
import { credentialOf, type Refusal } from './refusals.ts'

/** The receiver of it releases its share of the budget. */
type Body =
  | {
      type: 'read'
      bytes: Buffer
      /** Why the bytes could not be decoded. */
      packed: string | null
      share: Share
    }
  | {
      type: 'too-large'
      /** As far as is known. */
      size: number
      limit: number
      /** Its signature is of bytes that were not read. */
      isUnchecked?: boolean
    }
  | { type: 'refused'; why: Refusal }

interface BodyRoom {
  limit: number
  decoded?: number
  budget: Budget
  /** Of the bytes as they came. */
  isSigned?: ((raw: Buffer) => boolean) | undefined
}

/** Larger bodies are read one a turn: many together would block the event loop (bytes). */
export const CHUNK_BYTES = 32 * 1024

export async function readBody(request: IncomingMessage, room: BodyRoom): Promise<Body> {
  const body = await readRaw(request, room)
  if (body.type === 'too-large') return { ...body, isUnchecked: room.isSigned !== undefined }
  if (body.type !== 'read') return body
  const { bytes: raw, share } = body
  if (room.isSigned?.(raw) === false) {
    share.release()
    free(raw)
    return { type: 'refused', why: 'wrong-signature' }
  }
  const encoding = request.headers['content-encoding']
  if (encoding === undefined && !isGzip(raw)) return { ...body, bytes: withoutMark(raw) }
  const limit = room.decoded ?? room.limit
  const plain = await unpack(raw, encoding, { limit, share })
  if (Buffer.isBuffer(plain)) {
    const beyond = plain.byteLength - INFLATION * raw.byteLength
    if (plain !== raw) free(raw)
    if (beyond <= 0 || room.budget.inflate(credentialOf(request.socket) ?? 'unknown', beyond))
      return { type: 'read', bytes: withoutMark(plain), packed: null, share }
    share.release()
    return { type: 'refused', why: 'inflated' }
  }
  if (plain === null) {
    const packed = `not readable as ${encoding === undefined ? 'gzip' : `content-encoding ${encoding}`}`
    return { ...body, bytes: asText(raw), packed }
  }
  share.release()
  return plain === 'too-large' ? { type: 'too-large', size: limit + 1, limit } : { type: 'refused', why: plain }
}

function asText(raw: Buffer): Buffer {
  const text = withoutMark(raw)
  return /^\s*[[{]/.test(text.toString('latin1', 0, 64)) ? text : raw
}

/** As it came, for checks of its signature. Rejects if the sender breaks off. */
export async function readRaw(request: IncomingMessage, { limit, budget }: BodyRoom): Promise<Body> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) return { type: 'too-large', size: announced, limit }
  const { promise, resolve, reject } = Promise.withResolvers<Body>()
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
    // A copy: chunks may be slices of a large buffer.
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
  const body = await promise
  if (body.type === 'read' && body.bytes.byteLength > CHUNK_BYTES) await budget.slices.begin().next()
  return body
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

const MAX = 3

/** Headers may be wrong (proxies): what begins as gzip is gzip. Null: not decodable, perhaps plain. */
async function unpack(
  raw: Buffer,
  header: string | undefined,
  room: DecodeLimit,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  const packing = packingOf(header)
  const said = packing.length > MAX ? null : await without(packing, raw, room)
  let plain = said ?? (isGzip(raw) ? raw : null)
  for (let n = 0; n < MAX && isGzip(plain); n++) plain = await decode(plain, 'gzip', room)
  return isGzip(plain) ? null : plain
}

async function without(packing: readonly string[], raw: Buffer, room: DecodeLimit) {
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

interface DecodeLimit {
  limit: number
  share: Pick<Share, 'take' | 'alone'>
}

/** Larger bodies are decoded one at a time (bytes). */
const SMALL = 64 * 1024

const STEP = SMALL

/** In steps, so that a bomb is stopped early. Null: not, or only partly, of this encoding. */
async function decode(
  raw: Buffer,
  encoding: string,
  { limit, share }: DecodeLimit,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  if (encoding === 'gzip' && hasManyMembers(raw)) return null
  const small = await upTo(Math.min(SMALL, limit), decoderOf(encoding, raw), raw, () => true)
  if (small !== 'too-large' || limit <= SMALL) return small
  // Begins anew: a waiting decoder would hold its window.
  return await share.alone(() => upTo(limit, decoderOf(encoding, raw), raw, share.take))
}

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
    // A decoder ignores bytes behind the end; they would be lost.
    return decoder.bytesWritten === raw.byteLength ? Buffer.concat(chunks) : null
  } catch {
    return null
  } finally {
    for (const chunk of chunks) free(chunk)
    decoder.destroy()
  }
}

type Decoder = BrotliDecompress | Gunzip | Inflate | InflateRaw

const DECODERS = {
  gzip: createGunzip,
  deflate: createInflate,
  'deflate-raw': createInflateRaw,
  br: createBrotliDecompress,
}

/** The head of a gzip member; by chance once in 16 million bytes. */
const GZIP_MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

/** Writers that append begin new members; hundreds of thousands take seconds to decode to nothing. */
const MAX_MEMBERS = 256

export function hasManyMembers(gzip: Buffer): boolean {
  let count = 0
  for (let at = gzip.indexOf(GZIP_MEMBER); at !== -1; at = gzip.indexOf(GZIP_MEMBER, at + 3)) {
    count += 1
    if (count > MAX_MEMBERS) return true
  }
  return false
}

export function createDecoder(encoding: string, chunkSize?: number): Decoder | null {
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS] : null
  return create?.(chunkSize === undefined ? {} : { chunkSize }) ?? null
}

const PLAIN = ['', 'identity', 'none']

const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

export function packingOf(header: string | undefined): string[] {
  const names = (header ?? '').split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => !PLAIN.includes(name)).map((name) => ALIASES[name] ?? name)
}

export interface Share {
  /** False: no room; drop the body. */
  take(bytes: number): boolean
  /** The body is complete: never cut off. */
  whole(): void
  /** Runs heavy work one at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>
  release(): void
}

export interface Budget {
  /** Turns of the event loop for large bodies, shared by all interfaces. */
  slices: TimeSlices
  /** `cut`: the body is too slow, or must make room. */
  open(cut: (why: Refusal) => void): Share
  scan(): void
  /** Cuts off the slowest body; false: none is slow. */
  cutOldest(): boolean
  /** False: over the credential's limit of this minute. Small bodies that decode to large ones would fill the disk. */
  inflate(credential: string, bytes: number): boolean
  inFlightBytes(): number
}

interface BudgetOptions {
  slices?: TimeSlices
  most: number
  /** Bytes that only small bodies get. */
  reserve: number
  /** Of one credential in a minute (bytes), beyond INFLATION. */
  inflated: number
  /** For a body to come (ms). */
  patience: number
  now?: () => number
}

/** Nearly all webhooks are smaller (bytes). */
const SMALL_BODY = 64 * 1024

/** Decoded bytes for each sent one that nothing counts: JSON is rarely compressed to a twentieth. */
const INFLATION = 20

const MINUTE_MS = 60_000

const SLOW_MS = 1_000

/** Small bodies have a reserve, and beyond it cut off the slowest body: who holds a place is outpaced. */
export function createBudget({
  slices = createTimeSlices(),
  most,
  reserve,
  inflated,
  patience,
  now = () => performance.now(),
}: BudgetOptions): Budget {
  /** Incomplete bodies, oldest first. */
  const coming = new Map<Share, { since: number; cut: (why: Refusal) => void }>()
  let used = 0

  const alone = createSemaphore(1)
  const inflatedBy = new Map<string, number>()
  let minute = 0

  function cutOldest(except: Share | null = null): boolean {
    for (const [share, { since, cut }] of coming) {
      if (now() - since < SLOW_MS) return false
      if (share === except) continue
      share.release()
      cut('over-budget')
      return true
    }
    return false
  }

  return {
    slices,
    open(cut) {
      let size = 0
      let isOver = false
      const share: Share = {
        take(bytes) {
          if (isOver) return false
          const isSmall = size + bytes <= SMALL_BODY
          while (isSmall && used + bytes > most && cutOldest(share)) {}
          if (used + bytes > (isSmall ? most : most - reserve)) return false
          size += bytes
          used += bytes
          return true
        },
        whole: () => void coming.delete(share),
        alone,
        release() {
          if (isOver) return
          isOver = true
          coming.delete(share)
          used -= size
        },
      }
      coming.set(share, { since: now(), cut })
      return share
    },
    scan() {
      for (const [share, { since, cut }] of coming) {
        if (now() - since < patience) return
        share.release()
        cut('too-slow')
      }
    },
    cutOldest,
    inflate(credential, bytes) {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) inflatedBy.clear()
      minute = current
      const all = (inflatedBy.get(credential) ?? 0) + bytes
      if (all > inflated) return false
      inflatedBy.set(credential, all)
      return true
    },
    inFlightBytes: () => used,
  }
}

const SCAN_INTERVAL_MS = 500

/** `known`: senders known by their headers; `unverified`: by their body only. */
export interface Budgets extends Disposable {
  known: Budget
  unverified: Budget
}

export function createBudgets(
  { inFlightBytes, reserve, unverified, inflated }: Limits,
  { body, identify }: Timeouts,
): Budgets {
  const shared = { slices: createTimeSlices(), inflated }
  const budgets = {
    known: createBudget({ ...shared, most: inFlightBytes, reserve, patience: body }),
    unverified: createBudget({ ...shared, most: unverified, reserve: Math.floor(unverified / 4), patience: identify }),
  }
  const scanning = setInterval(() => {
    budgets.known.scan()
    budgets.unverified.scan()
  }, SCAN_INTERVAL_MS)
  return { ...budgets, [Symbol.dispose]: () => clearInterval(scanning) }
}
