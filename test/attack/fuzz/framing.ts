import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Dice } from './dice.ts'
import type { Target } from './targets.ts'

/** A request as it goes over the wire. */
export interface Fuzzed {
  bytes: Buffer
  /** It is what HTTP says a request is: it is answered, and what comes behind it is another one. */
  isSound: boolean
  /** What a hub that takes it keeps, where that is known. */
  kept: Buffer | null
}

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

/** Writes a request as it should be, in one of the ways that there are. */
export function frame(dice: Dice, { method, path, headers, body, isWebhook }: Target): Fuzzed {
  const encoding = dice.pick(['', '', '', 'gzip', 'deflate', 'br', 'identity', 'lie', 'unknown'] as const)
  const encode = ENCODERS[encoding as keyof typeof ENCODERS]
  const sent = encode ? encode(body) : body
  const said = { lie: dice.pick(['gzip', 'br', 'deflate']), unknown: 'zstd, gzip' }[encoding as string] ?? encoding
  const charset = dice.pick(['', '', '', 'utf-16', 'latin1', 'none'])
  const all: Record<string, string> = { host: 'hub', ...headers }
  if (said !== '') all['content-encoding'] = said
  if (charset !== '') all['content-type'] = `application/json; charset=${charset}`
  if (dice.oneIn(20)) all.expect = '100-continue'
  if (dice.oneIn(100)) Object.assign(all, { upgrade: dice.pick(['websocket', 'h2c']), connection: 'upgrade' })
  // Whatever it says, bytes that are not what they claim to be are kept as they came.
  const kept = isWebhook && charset === '' && !startsWithMark(body) ? body : null
  const isEmpty = ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  const [more, framed] = isEmpty ? [{}, Buffer.alloc(0)] : dice.oneIn(2) ? whole(sent) : chunked(dice, sent)
  return {
    bytes: Buffer.concat([headOf(method, path, { ...all, ...more }), framed]),
    isSound: all.upgrade === undefined,
    kept,
  }
}

function headOf(method: string, path: string, headers: Record<string, string>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
}

function whole(body: Buffer): [Record<string, string>, Buffer] {
  return [{ 'content-length': String(body.byteLength) }, body]
}

/** Pieces of any size, some with extensions, and now and then a trailer. */
function chunked(dice: Dice, body: Buffer): [Record<string, string>, Buffer] {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.byteLength; ) {
    const piece = body.subarray(at, at + 1 + dice.upTo(body.byteLength))
    const extension = dice.oneIn(5) ? dice.pick([';a', ';a=b', ';a="b c"']) : ''
    pieces.push(Buffer.from(`${piece.byteLength.toString(16)}${extension}\r\n`), piece, Buffer.from('\r\n'))
    at += piece.byteLength
  }
  pieces.push(Buffer.from(dice.oneIn(5) ? '0\r\nx-trailer: a\r\n\r\n' : '0\r\n\r\n'))
  return [{ 'transfer-encoding': 'chunked' }, Buffer.concat(pieces)]
}

function startsWithMark(body: Buffer): boolean {
  return body[0] === 0xef
}
