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

/** The head of a gzip member. In what is compressed it stands once in sixteen million bytes by chance. */
const GZIP_MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

/** Writers that go on with a file begin a member now and then; a body of hundreds of thousands takes seconds to unpack to nothing. */
const MAX_MEMBERS = 256

/** True if gzip consists of more members than anybody writes. */
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
