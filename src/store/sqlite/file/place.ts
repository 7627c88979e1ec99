import { type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Null: a storage can be there, or unknown. Opens nothing: closing a file would drop this process's locks on it. */
export function whyNoStoreAt(path: string): string | null {
  const found = lookAt(path)
  if (found === null) return whyNoFileIn(dirname(path))
  if (found.isDirectory()) return folderText(path)
  return found.isFile() ? null : `${path} is no file that can be kept`
}

export function folderText(path: string): string {
  return `${path} is a folder: name the file in it, such as ${join(path, 'tillbridge.db')}`
}

/** Missing folders are created later. */
function whyNoFileIn(folder: string): string | null {
  const found = lookAt(folder)
  if (found !== null) return found.isDirectory() ? null : `${folder} is no folder, so that no file can be in it`
  return dirname(folder) === folder ? null : whyNoFileIn(dirname(folder))
}

function lookAt(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
