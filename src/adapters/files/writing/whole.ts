import { createHash } from 'node:crypto'
import { isTrouble } from '../../../folders/files-error.ts'
import type { Files } from '../../../folders/transport.ts'
import { WORK } from './layout.ts'
import type { Manifest } from './manifest.ts'

/** Whether the content is there as the manifest says. */
export async function isWhole(files: Files, { id, bytes, sha256 }: Manifest): Promise<boolean> {
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const piece of files.read(`${WORK}/${id}`)) {
      hash.update(piece)
      length += piece.byteLength
    }
  } catch (error) {
    if (isTrouble(error, 'missing')) return false
    throw error
  }
  return length === bytes && hash.digest('hex') === sha256
}
