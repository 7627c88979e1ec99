/* The bytes of JSON that a value is told apart by. */

export const QUOTE = 0x22
export const COMMA = 0x2c
export const OPEN_ARRAY = 0x5b
export const CLOSE_ARRAY = 0x5d
export const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The byte is one that may stand around values. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

export function isOpening(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === OPEN_OBJECT
}

export function isClosing(byte: number): boolean {
  return byte === CLOSE_ARRAY || byte === CLOSE_OBJECT
}
