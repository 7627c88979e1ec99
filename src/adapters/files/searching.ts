import { foldBytes, folded } from '../../domain/values/folded.ts'
import { FilesError } from '../../folders/files-error.ts'
import type { FileEntry, Files, Transport } from '../../folders/transport.ts'
import type { FoundFiles } from '../adapter.ts'

/** A larger file is not read: somebody looks into it (bytes). */
const LARGEST = 256 * 1024 * 1024

/** Folders within folders; deeper ones are told as not looked through. */
const DEEPEST = 16

/**
 * The files of a folder that say one of these texts, in UTF-8 or Latin 1, and those that could not be looked through. A file of the
 * back office may be of either encoding. Nothing changes; where the folder cannot be reached, it is named itself.
 */
export async function searchFolder(
  transport: Transport,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<FoundFiles> {
  const found: FoundFiles = { saying: [], unread: [] }
  const wanted = texts.flatMap((text) =>
    (['utf8', 'latin1'] as const).map((encoding) => ({ text, bytes: Buffer.from(folded(text), encoding) })),
  )
  const overlap = Math.max(0, ...wanted.map(({ bytes }) => bytes.byteLength))
  const shown = (path: string) => `${transport.where}/${path}`
  try {
    await transport.use(signal, (files) => walk(files, '', 0))
  } catch (error) {
    if (!(error instanceof FilesError)) throw error
    found.unread.push(transport.where)
  }
  return found

  async function walk(files: Files, folder: string, depth: number): Promise<void> {
    for (const entry of await files.list(folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isUnnameable) found.unread.push(shown(path))
      else if (entry.type === 'file') await look(files, entry, path)
      else if (entry.type === 'folder' && depth < DEEPEST) await walk(files, path, depth + 1).catch(unreadAt(path))
      else if (entry.type === 'folder') found.unread.push(shown(path))
    }
  }

  async function look(files: Files, { size }: FileEntry, path: string): Promise<void> {
    if (size > LARGEST) return void found.unread.push(shown(path))
    const said = await textsIn(files, path).catch(unreadAt(path))
    if (said && said.size > 0) found.saying.push({ file: shown(path), texts: [...said] })
  }

  /** Piece by piece, each with the end of the one before: a text may begin there. */
  async function textsIn(files: Files, path: string): Promise<Set<string>> {
    const said = new Set<string>()
    let end = Buffer.alloc(0)
    for await (const piece of files.read(path)) {
      const bytes = foldBytes(Buffer.concat([end, piece]))
      for (const one of wanted) if (!said.has(one.text) && bytes.includes(one.bytes)) said.add(one.text)
      end = bytes.subarray(Math.max(0, bytes.byteLength - overlap))
    }
    return said
  }

  /** One that has just been taken is not there to be looked at. */
  function unreadAt(path: string): (error: unknown) => false {
    return (error) => {
      if (!(error instanceof FilesError) || error.trouble === 'aborted') throw error
      if (error.trouble !== 'missing') found.unread.push(shown(path))
      return false
    }
  }
}
