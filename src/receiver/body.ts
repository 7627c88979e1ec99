import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, inflate, gunzip as nodeGunzip } from 'node:zlib'

/** What a request carried, decoded as far as it could be. */
export type Body =
  | {
      type: 'read'
      bytes: Buffer /** Why it is not what it claims to be; the bytes are kept all the same. */
      unreadable: string | null
    }
  | { type: 'too-large' /** As far as is known. */; size: number }

const decoders = {
  gzip: promisify<Buffer, { maxOutputLength: number }, Buffer>(nodeGunzip),
  'x-gzip': promisify<Buffer, { maxOutputLength: number }, Buffer>(nodeGunzip),
  deflate: promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate),
  br: promisify<Buffer, { maxOutputLength: number }, Buffer>(brotliDecompress),
}

/**
 * Reads a request's body, at most `limit` bytes of it before and after decompression. Rejects if the sender breaks off:
 * then nothing is to be answered.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  const body = await readRaw(request, limit)
  if (body.type === 'too-large') return body
  const raw = body.bytes
  const encoding = request.headers['content-encoding']
  const plain = encoding === undefined || encoding === 'identity' ? raw : await decompress(raw, encoding, limit)
  if (plain === 'too-large') return { type: 'too-large', size: limit + 1 }
  if (plain === null) return { type: 'read', bytes: raw, unreadable: `not readable as content-encoding ${encoding}` }
  return { type: 'read', bytes: toUtf8(plain, request.headers['content-type']), unreadable: null }
}

/** A request's body byte by byte as it came, for who must check a signature over it. Rejects as readBody does. */
export async function readRaw(request: IncomingMessage, limit: number): Promise<Body> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limit) return { type: 'too-large', size: announced }
  const bytes = await collect(request, limit)
  return bytes === null ? { type: 'too-large', size: limit + 1 } : { type: 'read', bytes, unreadable: null }
}

/** Null: it is larger than the limit. */
function collect(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limit) {
        request.removeAllListeners('data')
        resolve(null)
      } else chunks.push(chunk)
    })
    // A copy of its own: a chunk is a slice of a large buffer, which it would keep alive for as long as it waits.
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new Error('The sender broke off.'))
    })
  })
}

async function decompress(raw: Buffer, encoding: string, limit: number): Promise<Buffer | 'too-large' | null> {
  const decoder = decoders[encoding.trim().toLowerCase() as keyof typeof decoders]
  if (!decoder) return null
  try {
    return await decoder(raw, { maxOutputLength: limit })
  } catch (error) {
    return error instanceof RangeError ? 'too-large' : null
  }
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
