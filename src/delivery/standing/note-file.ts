import { hash } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where the note of a hub is: beside the file of its store; where its store is a server's (`file` is null), in the folder of
 * its config, or in the system's folder for temporary files where that one cannot be written. `port`: hubs of one folder
 * listen on different ones.
 */
export function noteFile(file: string | null, folder: string, port: number): string {
  if (file !== null) return `${file}.standing.json`
  const name = `tillbridge-${port}.standing.json`
  if (isWritable(folder)) return join(folder, name)
  return join(tmpdir(), `${hash('sha256', folder).slice(0, 12)}-${name}`)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
