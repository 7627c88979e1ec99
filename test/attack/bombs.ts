import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { once, webhook } from './requests.ts'
import type { Attack } from './siege.ts'

const SENDERS = 40

/** The most that a hub may ever have taken, and what one takes that was never told otherwise (MB). */
const LARGE = 60
const SMALL = 8

const ENCODERS = {
  br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  gzip: (text: string) => gzipSync(text, { level: 1 }),
  deflate: (text: string) => deflateSync(text, { level: 1 }),
}

export const bombs: Attack[] = Object.entries(ENCODERS).flatMap(([encoding, encode]) =>
  [LARGE, SMALL].map((size) =>
    bodies(`${SENDERS} ${encoding} bodies at a time become ${size} MB each`, () => encode(textOf(size)), {
      'content-encoding': encoding,
    }),
  ),
)

export const largeBodies: Attack[] = [LARGE, SMALL].map((size) =>
  bodies(`${SENDERS} bodies of ${size} MB come at a time`, () => Buffer.from(textOf(size)), {}),
)

/** Each sender sends another one as soon as its last one was answered. */
function bodies(name: string, make: () => Buffer, headers: Record<string, string>): Attack {
  const body = once(make)
  return {
    name,
    prepare: () => void body(),
    async run({ hub, strangers, scale }) {
      let nth = 0
      const next = () => {
        nth += 1
        return webhook(hub.webhookPath(`Bomb${nth}`), body(), headers)
      }
      strangers.keepOpen(Math.round(SENDERS * scale), (socket) => strangers.ask(socket, next, 100))
    },
  }
}

/** JSON of so many megabytes. */
function textOf(megabytes: number): string {
  return `"${'a'.repeat(megabytes * 1_000_000 - 2)}"`
}
