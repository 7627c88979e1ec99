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
