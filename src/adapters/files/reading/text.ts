import { isUtf8 } from 'node:buffer'

export const ENCODINGS = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

const WINDOWS = new TextDecoder('windows-1252')

/** The text of the bytes; null: they say nothing in this encoding. */
export function decode(bytes: Uint8Array, encoding: Encoding): string | null {
  if (encoding === 'windows-1252') return WINDOWS.decode(bytes)
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : null
}

/** The bytes of a text. A sign that the encoding lacks becomes a question mark. */
export function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  return Buffer.from(Array.from(text, (char) => windowsBytes().get(char) ?? 0x3f))
}

let known: Map<string, number> | null = null

/** Node decodes Windows-1252, and does not encode it. */
function windowsBytes(): Map<string, number> {
  known ??= new Map(Array.from({ length: 256 }, (_, byte) => [WINDOWS.decode(Uint8Array.of(byte)), byte]))
  return known
}

/** How many lines end in it: by \r\n, by \n, or by \r alone. */
export function breaksIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1)
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count += 1
  return count
}

/** Without the end of its line. */
export function withoutBreak(bytes: Buffer): Buffer {
  let end = bytes.length
  if (bytes[end - 1] === LF) end -= 1
  if (bytes[end - 1] === CR) end -= 1
  return bytes.subarray(0, end)
}

export const LF = 0x0a
export const CR = 0x0d
