import type { IncomingMessage } from 'node:http'
import { credentialOf } from '../lib/http/problem.ts'
import { free } from '../lib/thread.ts'
import { type Budget, INFLATION, type Refusal, type Share } from './budget.ts'
import { toUtf8 } from './to-utf8.ts'
import { unpack } from './unpack.ts'

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

interface Room {
  /** Bytes that may be sent. */
  limit: number
  /** Bytes that they may become; without it, as many. */
  decoded?: number
  budget: Budget
}

/** A larger body is read when it is its turn: many together would keep the event loop from whoever comes meanwhile (bytes). */
export const AT_ONCE = 32 * 1024

/**
 * Reads a request's body, as far as there is room for it, before and after decompression. Rejects if the sender breaks off:
 * then nothing is to be answered.
 */
export async function readBody(request: IncomingMessage, room: Room): Promise<Body> {
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
export async function readRaw(request: IncomingMessage, { limit, budget }: Room): Promise<Body> {
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
