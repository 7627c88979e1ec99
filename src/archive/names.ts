import { FilesError, isTrouble } from '../folders/files-error.ts'
import type { Files } from '../folders/transport.ts'

/** The names of the files in a folder of the archive; none where it was not made yet. Throws where nobody can tell. */
export async function namesIn(files: Files, folder: string): Promise<string[]> {
  try {
    const entries = await files.list(folder)
    return entries.filter(({ type }) => type === 'file').map(({ name }) => name)
  } catch (error) {
    if (!isTrouble(error, 'missing')) throw error
    // Before the first file there is no folder either; a file in its place is no archive.
    const top = await files.stat('')
    if (top !== null && top.type !== 'folder') throw new FilesError('missing', 'is no folder.', { cause: error })
    return []
  }
}

/** Makes a folder of the archive, and those above it, the archive's own as well. Remembers those that it has made. */
export function createFolders(files: Files): (path: string) => Promise<void> {
  const made = new Set<string>()

  async function make(path: string): Promise<void> {
    if (made.has(path)) return
    const above = path.includes('/') ? path.replace(/\/[^/]*$/, '') : ''
    if (path !== '') await make(above)
    await files.makeFolder(path).catch((error: unknown) => {
      if (path !== '' || !isTrouble(error, 'missing')) throw error
      // A share that is not mounted is not to be taken for an empty folder.
      throw new FilesError('missing', 'cannot be made: the folder above it is not there.', { cause: error })
    })
    if (path !== '') await files.sync(above)
    made.add(path)
  }
  return make
}
