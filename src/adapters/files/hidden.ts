import { type Files, isTrouble } from '../../folders/transport.ts'

/** The hub's own folder beside the files. Readers that pick up files of a folder pass over hidden ones. */
export const HIDDEN = '.tillbridge'

export function isHidden(name: string): boolean {
  return name.startsWith('.')
}

export function under(...names: string[]): string {
  return names.filter((name) => name !== '').join('/')
}

/** Makes a folder and those that it stands in, below one that is there. */
export async function makeFolders(files: Files, from: string, path: string): Promise<void> {
  let folder = from
  for (const name of path.split('/')) {
    folder = under(folder, name)
    await files.makeFolder(folder)
  }
}

/** Names of the entries of a folder; none where it is not there. */
export async function namesIn(files: Files, folder: string): Promise<string[]> {
  try {
    return (await files.list(folder)).map(({ name }) => name)
  } catch (error) {
    if (isTrouble(error, 'missing')) return []
    throw error
  }
}
