import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Share } from './budget.ts'

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

interface Room {
  /** Bytes at most. */
  limit: number
  share: Pick<Share, 'take' | 'alone'>
}

/** The size above which a body is decoded only while no other such is (bytes): a few of them would take every processor, and much memory. */
const SMALL = 64 * 1024

/** Bytes that are decoded before they are counted. */
const STEP = { chunkSize: SMALL }

/**
 * Decompresses a body step by step, so that a few bytes which become many are stopped as soon as they are too many. Null: it is
 * not what its encoding says.
 */
export async function decode(
  raw: Buffer,
  encoding: string,
  { limit, share }: Room,
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  const create = DECODERS[encoding.trim().toLowerCase() as keyof typeof DECODERS]
  if (!create) return null
  const small = await upTo(Math.min(SMALL, limit), create, raw, () => true)
  if (small !== 'too-large' || limit <= SMALL) return small
  // The decoding begins anew when it is its turn: a decoder that waits would hold its window meanwhile.
  return await share.alone(() => upTo(limit, create, raw, share.take))
}

async function upTo(
  limit: number,
  create: (typeof DECODERS)[keyof typeof DECODERS],
  raw: Buffer,
  take: Share['take'],
): Promise<Buffer | 'too-large' | 'over-budget' | null> {
  const decoder = create(STEP)
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
    return Buffer.concat(chunks)
  } catch {
    return null
  } finally {
    decoder.destroy()
  }
}
