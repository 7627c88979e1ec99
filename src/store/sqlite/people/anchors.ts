import { pieceOf } from '../../people/pieces.ts'
import { findPieces } from './many-pieces.ts'

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

/** Finds folded texts in folded bytes: calls back with where each begins, and with the text. */
export function findTexts(texts: readonly string[]) {
  const anchors = anchorsOf(texts)
  const find = findPieces(anchors.map(({ piece }) => piece))
  return (bytes: Buffer, tell: (at: number, text: Buffer) => void): void =>
    find(bytes, (at, nth) => {
      for (const { bytes: text, offset } of anchors[nth]?.texts ?? []) {
        const from = at - offset
        if (from >= 0 && bytes.subarray(from, from + text.length).equals(text)) tell(from, text)
      }
    })
}
