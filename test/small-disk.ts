import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own, small enough to fill. */
export interface SmallDisk extends AsyncDisposable {
  path: string
  /** Takes up so many bytes, as far as there is room; null: gives them back. */
  ballast(bytes: number | null): Promise<void>
  /** Fails while a file on it is open for writing. */
  setReadOnly(readOnly: boolean): void
}

export function mountSmallDisk(bytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'tillbridge-disk-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path)
  } catch (error) {
    rmSync(path, { recursive: true })
    throw error
  }
  const file = join(path, 'ballast')
  return {
    path,
    async ballast(size) {
      if (size === null) return await rm(file)
      await writeFile(file, Buffer.alloc(size, 1)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error
      })
    },
    setReadOnly: (readOnly) => run('mount', '-o', `remount,${readOnly ? 'ro' : 'rw'}`, path),
    async [Symbol.asyncDispose]() {
      run('umount', '-l', path)
      await rm(path, { recursive: true })
    },
  }
}

/** Why tests that need one are left out on this machine; null: they are not. */
export const noSmallDisk: string | null = await mayMount()

/** The same, behind the title of such a test. */
export const whyNoDisk = noSmallDisk === null ? '' : ` (skipped: ${noSmallDisk})`

async function mayMount(): Promise<string | null> {
  try {
    await mountSmallDisk(64 * 1024)[Symbol.asyncDispose]()
    return null
  } catch {
    return 'mounting a tmpfs needs root on Linux'
  }
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' })
}
