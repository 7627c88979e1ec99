import { isTrouble } from '../../../folders/files-error.ts'
import type { Files } from '../../../folders/transport.ts'
import type { IntakeLine } from '../../../ports/intake.ts'
import type { Source } from '../read-options.ts'
import { HIDDEN } from '../writing/layout.ts'
import { RESOURCES } from './fields.ts'

/*
 * What stands in the hidden folder beside the files that are read:
 *
 *   .tillbridge/reading/<destination>.<resource>.<id>/        a file that is being read
 *       <its own name>
 *       .refused.<offset>                                     its refused rows of one page, as they go into the reject file
 *   .tillbridge/ended/<destination>.<resource>.<id>.<end>/    one that is done with: only moves are left to do
 *       .end.<end>                                            which
 *       .reject.<end>                                         what goes into the reject folder
 */

export function readingFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'reading')
}

export function endedFolder({ folder }: Pick<Source, 'folder'>): string {
  return under(folder, HIDDEN, 'ended')
}

const WORK_NAME = /^([a-z][a-z0-9-]*)\.([a-z-]+)\.([0-9a-f]{12})(?:\.([0-9a-f]{12}))?$/

/** The facts in the name of a folder there. */
export interface WorkName {
  resource: IntakeLine
  id: string
  /** How it ended; null: it has not. */
  end: string | null
}

/** Null: it is another destination's, or nothing of ours. */
export function readWorkName(name: string, destination: string): WorkName | null {
  const [, of, resource, id = '', end = null] = WORK_NAME.exec(name) ?? []
  const known = RESOURCES.find((one) => one === resource)
  return of === destination && known ? { resource: known, id, end } : null
}

export function workName(destination: string, { resource, id, end }: WorkName): string {
  return [destination, resource, id, ...(end === null ? [] : [end])].join('.')
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

/** Puts it in place of what is there. Some servers rename only to where nothing is. */
export async function replace(files: Files, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to)
  } catch (error) {
    if (!isTrouble(error, 'exists')) throw error
    await files.remove(to)
    await files.rename(from, to)
  }
}

export function isHidden(name: string): boolean {
  return name.startsWith('.')
}
