/** Which mutants were met, as short text: one bit each. */
export function packBits(met: Uint8Array): string {
  const bytes = new Uint8Array(Math.ceil(met.length / 8))
  for (const [id, is] of met.entries()) if (is) bytes[id >> 3] = (bytes[id >> 3] ?? 0) | (1 << (id & 7))
  return Buffer.from(bytes).toString('base64')
}

/** Whether a mutant is among those. */
export function hasBit(bits: Uint8Array, id: number): boolean {
  return ((bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0
}

export function unpackBits(text: string): Uint8Array {
  return Buffer.from(text, 'base64')
}
