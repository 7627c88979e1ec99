import type { MirrorCursor } from '../../domain/catalogue/mirror.ts'

/** Where a page ended, as text that means nothing to whoever carries it back. */
export function writeCursor({ day, id }: MirrorCursor): string {
  return Buffer.from(JSON.stringify([day, id])).toString('base64url')
}

/** Null: it is none of ours. */
export function readCursor(text: string): MirrorCursor | null {
  const found = parsed(text)
  if (!Array.isArray(found) || found.length !== 2) return null
  const [day, id] = found
  if (typeof day !== 'string' || day.includes('\0') || !Number.isSafeInteger(id)) return null
  // Any other text that decodes to the same was not written here.
  return writeCursor({ day, id }) === text ? { day, id } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return null
  }
}
