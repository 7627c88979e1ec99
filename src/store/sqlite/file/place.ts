import { type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Why no store can be in a file of this path, however long one waits; null: one can, or nobody can tell. Nothing is opened: a process that
 * closes a file loses the locks that it has on it.
 */
export function whyNoStoreAt(path: string): string | null {
  const found = lookAt(path)
  if (found === null) return whyNoFileIn(dirname(path))
  if (found.isDirectory()) return folderText(path)
  return found.isFile() ? null : `${path} is no file that can be kept`
}

/** What is said of a path that names a folder. */
export function folderText(path: string): string {
  return `${path} is a folder: name the file in it, such as ${join(path, 'tillbridge.db')}`
}

/** Folders that are not there are made; above them there has to be one. */
function whyNoFileIn(folder: string): string | null {
  const found = lookAt(folder)
  if (found !== null) return found.isDirectory() ? null : `${folder} is no folder, so that no file can be in it`
  return dirname(folder) === folder ? null : whyNoFileIn(dirname(folder))
}

/** Null: it is not there, or cannot be looked at. */
function lookAt(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
