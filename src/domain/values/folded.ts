/*
 * Capitals say nothing of whom a text is about. Only those of ASCII become small here, so that bytes stay as many, and SQLite and
 * PostgreSQL fold as this does.
 */

/** The text with small letters for the capitals of ASCII. */
export function folded(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Bytes likewise, written over: four at once, since a whole store is read so. */
export function foldBytes<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  const { buffer, byteOffset, byteLength } = bytes
  const before = byteLength < 8 ? byteLength : -byteOffset & 3
  const fours = new Int32Array(buffer, byteLength < 8 ? 0 : byteOffset + before, (byteLength - before) >> 2)
  for (let at = 0; at < fours.length; at++) fours[at] = foldFour(fours[at] ?? 0)
  for (let at = 0; at < before; at++) bytes[at] = foldFour(bytes[at] ?? 0)
  for (let at = before + fours.length * 4; at < byteLength; at++) bytes[at] = foldFour(bytes[at] ?? 0)
  return bytes
}

/** The highest bit of each byte says whether it is from "A" on, and whether it is past "Z"; a capital gets the bit of small letters. */
function foldFour(four: number): number {
  const low = four & 0x7f7f7f7f
  const isCapital = (low + 0x3f3f3f3f) & ~(low + 0x25252525) & ~four & 0x80808080
  return four | (isCapital >>> 2)
}
