import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'

export type Decoder = BrotliDecompress | Gunzip | Inflate

const DECODERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** What decompresses a body of this Content-Encoding, `chunkSize` bytes at a time; null: the hub does not know the encoding. */
export function createDecoder(encoding: string, chunkSize?: number): Decoder | null {
  const create = DECODERS[encoding.trim().toLowerCase() as keyof typeof DECODERS]
  return create?.(chunkSize === undefined ? {} : { chunkSize }) ?? null
}
