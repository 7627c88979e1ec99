import type { Dice } from './dice.ts'
import type { Fuzzed } from './framing.ts'

/** Makes of a request something that is none, or two at a time. */
export function lie(dice: Dice, { bytes }: Fuzzed): Fuzzed {
  const text = bytes.toString('latin1')
  return { bytes: dice.pick(LIES)(dice, bytes, text), isSound: false, kept: null }
}

type Lie = (dice: Dice, bytes: Buffer, text: string) => Buffer

const LENGTHS = ['-1', '0', '1', '+5', '0x10', '5, 5', '5, 6', '99999999999999999999', '1e3', ' ', 'a'] as const

const TRANSFER = [
  'chunked, chunked',
  'identity',
  'chunked, identity',
  'xchunked',
  ' chunked ',
  'CHUNKED',
  'gzip, chunked',
  '\tchunked',
  'chunked\r\ntransfer-encoding: x',
] as const

const CHUNKS = [
  'zz',
  '-1',
  'ffffffffffffffff',
  '5;',
  '5 ',
  '+5',
  '0x5',
  `5;${'a'.repeat(20_000)}`,
  '00000000000000000005',
  '',
] as const

const FIRST_LINES = [
  'post /x HTTP/1.1',
  'POST  /x HTTP/1.1',
  'POST /x',
  'POST /x HTTP/0.9',
  'POST /x HTTP/1.0',
  'POST /x HTTP/2.0',
  'PRI * HTTP/2.0',
  'POST http://other/webhooks/X HTTP/1.1',
  'CONNECT hub:443 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'POST\t/x\tHTTP/1.1',
  'GET /a b HTTP/1.1',
  '',
  '\r\n\r\n\r\nGET / HTTP/1.1',
  `${'A'.repeat(5_000)} / HTTP/1.1`,
  `GET /${'a'.repeat(30_000)} HTTP/1.1`,
] as const

const LIES: readonly [Lie, ...Lie[]] = [
  /** Bytes in between are others. */
  (dice, bytes) => {
    const changed = Buffer.from(bytes)
    for (let left = 1 + dice.upTo(10); left > 0; left--) changed[dice.upTo(changed.byteLength)] = dice.upTo(256)
    return changed
  },
  (dice, bytes) => bytes.subarray(0, dice.upTo(bytes.byteLength)),
  (dice, _, text) => latin(text.replace(/\r\n\r\n/, `\r\nx: ${dice.bytes(dice.upTo(100)).toString('latin1')}\r\n\r\n`)),
  (dice, _, text) => withHeader(text, `content-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => withHeader(text, `content-length: ${dice.pick(LENGTHS)}\r\ncontent-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => withHeader(text, `transfer-encoding: ${dice.pick(TRANSFER)}`),
  (dice, _, text) =>
    withHeader(text, `transfer-encoding: ${dice.pick(TRANSFER)}\r\ncontent-length: ${dice.pick(LENGTHS)}`),
  (dice, _, text) => latin(text.replace(/\r\n[0-9a-f]+(;[^\r]*)?\r\n/, `\r\n${dice.pick(CHUNKS)}\r\n`)),
  (dice, _, text) => latin(text.replace(/^[^\r]*/, dice.pick(FIRST_LINES))),
  (_, __, text) => latin(text.replaceAll('\r\n', '\n')),
  (dice, _, text) => withHeader(text, `x: ${'a'.repeat(1_000 + dice.upTo(30_000))}`),
  (dice, _, text) =>
    withHeader(text, Array.from({ length: 10 + dice.upTo(3_000) }, (_, nth) => `x${nth}: 1`).join('\r\n')),
  (dice, _, text) =>
    withHeader(
      text,
      dice.pick([
        'expect: 200-ok',
        'connection: \u0001',
        'host: a\r\nhost: b',
        ': empty',
        'no colon',
        ' folded',
        'te: trailers, x',
      ]),
    ),
  (dice, bytes) => Buffer.concat([bytes, dice.bytes(1 + dice.upTo(50))]),
  (dice) => dice.bytes(1 + dice.upTo(2_000)),
]

function withHeader(text: string, header: string): Buffer {
  return latin(text.replace('\r\n', `\r\n${header}\r\n`))
}

function latin(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
