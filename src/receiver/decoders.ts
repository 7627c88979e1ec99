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

export type Decoder = BrotliDecompress | Gunzip | Inflate | InflateRaw

const DECODERS = {
  gzip: createGunzip,
  deflate: createInflate,
  'deflate-raw': createInflateRaw,
  br: createBrotliDecompress,
}

/** What decompresses a body of one packing, `chunkSize` bytes at a time; null: the hub does not know it. */
export function createDecoder(encoding: string, chunkSize?: number): Decoder | null {
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS] : null
  return create?.(chunkSize === undefined ? {} : { chunkSize }) ?? null
}
