import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Memory that Linux gives as a folder. */
const MEMORY = '/dev/shm'

/** Room that the files of a whole run may need, and then some (bytes). */
const ROOM = 4 * 1024 ** 3

/**
 * Where tests keep their files: in memory, where a machine has room there. A commit then waits for no disk; that a kill loses nothing is
 * shown all the same, since the files outlive the process. Power cuts are nothing that a test here could show; the soak runs on the disk.
 */
export function fastFolder(): string {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
