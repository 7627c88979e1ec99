import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { UserError } from '../../domain/values/errors.ts'

/**
 * A file as text, a piece at a time; a mark at its beginning (BOM) is left out. `seen` gets the bytes of each piece before
 * its text is given.
 *
 * Throws a UserError that names the line where the file is not UTF-8, or says why it cannot be read.
 */
export async function* readText(
  path: string,
  { seen, signal }: { seen?: ((bytes: Buffer) => void) | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  let first = true
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: PIECE, signal }) as AsyncIterable<Buffer>) {
      if (first) refuseUtf16(path, bytes)
      first = false
      seen?.(bytes)
      const text = decode(bytes)
      line += breaksIn(text)
      yield text
    }
    yield decode()
  } catch (error) {
    throw unreadable(path, error)
  }

  function decode(bytes?: Buffer): string {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch {
      throw new UserError(
        `${basename(path)}, line ${line + breaksBeforeFault(bytes)}: this is not UTF-8 (spreadsheets often save Windows-1252). Save the file as "CSV UTF-8" and push it again.`,
      )
    }
  }
}

/** How many lines end in a text: `\r\n`, `\n`. */
export function breaksIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Read at once. */
const PIECE = 256 * 1024

/** A character that is cut at the end of a piece reads as a fault too, but comes after the real one. */
function breaksBeforeFault(bytes: Buffer | undefined): number {
  if (!bytes) return 0
  const loose = new TextDecoder('utf-8').decode(bytes)
  const fault = loose.indexOf('\uFFFD', loose.startsWith('\uFFFD') ? 1 : 0)
  return breaksIn(loose.slice(0, Math.max(0, fault)))
}

function refuseUtf16(path: string, bytes: Buffer): void {
  const [a, b] = bytes
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff))
    throw new UserError(`${basename(path)} is UTF-16, not UTF-8. Save it as "CSV UTF-8" and push it again.`)
}

function unreadable(path: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ENOENT') return new UserError(`There is no file ${path}.`, { cause: error })
  if (code === 'EISDIR') return new UserError(`${path} is a folder.`, { cause: error })
  if (code === 'EACCES') return new UserError(`${path} may not be read by this user.`, { cause: error })
  return error
}
