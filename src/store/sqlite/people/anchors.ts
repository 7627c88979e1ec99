import { pieceOf } from '../../people/pieces.ts'

/** A piece of texts that are looked for: where it stands, one of them may stand around it. */
interface Anchor {
  piece: Buffer
  /** How far into each text the piece begins. */
  texts: { bytes: Buffer; offset: number }[]
}

/**
 * The pieces by which folded texts are looked for all at once: one text comes in several spellings (`Storgata 77B`, `storgata%2077b`), and
 * each of them alone would be a pass of its own over the bytes.
 */
export function anchorsOf(texts: readonly string[]): Anchor[] {
  const anchors = new Map<string, Anchor>()
  for (const text of texts) {
    const piece = pieceOf(text)
    const anchor = anchors.get(piece) ?? { piece: Buffer.from(piece), texts: [] }
    const bytes = Buffer.from(text)
    anchor.texts.push({ bytes, offset: bytes.indexOf(anchor.piece) })
    anchors.set(piece, anchor)
  }
  return [...anchors.values()]
}

/** Calls back with where each text begins in these folded bytes, and with the text. */
export function eachText(bytes: Buffer, anchors: readonly Anchor[], tell: (at: number, text: Buffer) => void): void {
  for (const { piece, texts } of anchors)
    for (let at = bytes.indexOf(piece); at >= 0; at = bytes.indexOf(piece, at + 1))
      for (const { bytes: text, offset } of texts) {
        const from = at - offset
        if (from >= 0 && bytes.subarray(from, from + text.length).equals(text)) tell(from, text)
      }
}
