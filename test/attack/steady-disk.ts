import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files in memory, where the system has such. */
const MEMORY = '/dev/shm'
/** What attacks may write in all (bytes), and what must be free for it. */
const SIZE = 8 * 1024 ** 3
const ROOM = 4 * 1024 ** 3

/** A folder on a disk that nobody else uses. */
interface SteadyDisk extends Disposable {
  path: string
}

/**
 * A disk that others use stands still for half a second now and then, with no attack at all; so the disk of an attacked hub is a
 * file in memory, with a file system of its own: what is written to it counts as nobody's memory, as on a disk. Where this user
 * may not mount one, it is a folder of the system's for temporary files, and what is late may be the disk.
 */
export function openSteadyDisk(): SteadyDisk {
  return mountInMemory() ?? ownFolder(tmpdir())
}

function ownFolder(within: string): SteadyDisk {
  const path = mkdtempSync(join(within, 'tillbridge-attack-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

function mountInMemory(): SteadyDisk | null {
  if (roomIn(MEMORY) < ROOM) return null
  const image = ownFolder(MEMORY)
  const place = ownFolder(tmpdir())
  const end = () => {
    place[Symbol.dispose]()
    image[Symbol.dispose]()
  }
  try {
    const file = join(image.path, 'disk')
    const made = openSync(file, 'w')
    ftruncateSync(made, SIZE)
    closeSync(made)
    run('mkfs.ext4', '-q', '-F', file)
    run('mount', '-o', 'loop', file, place.path)
  } catch {
    end()
    return null
  }
  return {
    path: place.path,
    [Symbol.dispose]() {
      run('umount', '-l', place.path)
      end()
    },
  }
}

/** Bytes that are free; 0: there is no such folder. */
function roomIn(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return 0
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' })
}
