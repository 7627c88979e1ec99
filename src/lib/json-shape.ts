/** Bounds on the cost of parsing. */
export interface JsonLimits {
  depth: number
  keys: number
  items: number
  values: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b
const CLOSE_LIST = 0x5d
const CLOSE_OBJECT = 0x7d

/** Bytes that matter for the shape. */
const TELLS = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT]) TELLS[byte] = 1

/** Shorter text is cheap whatever it holds (bytes). */
const HARMLESS = 16_384

/** The limit that a JSON text exceeds, without parsing; null: none. Linear; invalid JSON may give any answer. */
export function beyondLimits(bytes: Uint8Array, limits: JsonLimits): string | null {
  if (bytes.byteLength < HARMLESS) return null
  const { depth: deepest, keys, items, values: mostValues } = limits
  const { length } = bytes
  /** Per open level. */
  const isList = new Uint8Array(deepest + 1)
  const members = new Uint32Array(deepest + 1)
  let depth = 0
  let values = 1
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number
    if (TELLS[byte] === 0) continue
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth = depth === 0 ? 0 : depth - 1
    else {
      values += 1
      if (values > mostValues) return `it has more than ${mostValues} values`
      if (byte !== COMMA) {
        depth += 1
        if (depth > deepest) return `it is nested deeper than ${deepest} levels`
        isList[depth] = byte === OPEN_LIST ? 1 : 0
        members[depth] = 1
      } else {
        const count = (members[depth] as number) + 1
        members[depth] = count
        if (depth > 0 && count > keys && isList[depth] === 0) return `an object in it has more than ${keys} fields`
        if (depth > 0 && count > items && isList[depth] === 1) return `a list in it has more than ${items} items`
      }
    }
  }
  return null
}

function endOfString(bytes: Uint8Array, quote: number): number {
  const { length } = bytes
  for (let at = quote + 1; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) at += 1
  }
  return length
}
