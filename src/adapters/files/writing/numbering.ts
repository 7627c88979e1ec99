import { isTrouble } from '../../../folders/files-error.ts'
import type { Files } from '../../../folders/transport.ts'
import { NAMES } from './layout.ts'

/** How many numbers are remembered: of so many files. */
const REMEMBERED = 2_000

/**
 * Gives out names for files: `sale-101-2026-08-03.csv`, then `sale-101-2026-08-03-2.csv` … A name that is taken was given
 * out by a hub, this one or another (then it stands in the folder of names, and stays there when the file is gone), or is
 * that of a file which is there.
 */
export type Numbering = ReturnType<typeof createNumbering>

export function createNumbering() {
  const last = new Map<string, number>()

  /** The last number that was given out here, so that the next is not searched for. */
  function remember(whole: string, number: number): void {
    last.delete(whole)
    last.set(whole, number)
    const [oldest] = last.keys()
    if (last.size > REMEMBERED && oldest !== undefined) last.delete(oldest)
  }

  return {
    /** A name that was free, and is taken now. */
    async take(files: Files, base: string, extension: string): Promise<string> {
      const whole = `${base}.${extension}`
      const nameOf = (number: number) => (number === 1 ? whole : `${base}-${number}.${extension}`)
      for (let number = (last.get(whole) ?? 0) + 1; ; ) {
        const name = nameOf(number)
        if ((await isGivenOut(files, name)) && !(await files.stat(name))) {
          remember(whole, number)
          return name
        }
        number = await firstFree(number, (candidate) => isTaken(files, nameOf(candidate)))
      }
    },
  }
}

/** Makes the file that says that it is taken, unless somebody else has. */
async function isGivenOut(files: Files, name: string): Promise<boolean> {
  try {
    await files.create(`${NAMES}/${name}`, new Uint8Array())
    await files.sync(NAMES)
    return true
  } catch (error) {
    if (isTrouble(error, 'exists')) return false
    throw error
  }
}

async function isTaken(files: Files, name: string): Promise<boolean> {
  return (await files.stat(`${NAMES}/${name}`)) !== null || (await files.stat(name)) !== null
}

/** A free number above one that is taken: in steps that double, then in halves, since there may be hundreds. */
async function firstFree(taken: number, isTakenAt: (number: number) => Promise<boolean>): Promise<number> {
  let below = taken
  let free = taken + 1
  for (let step = 1; await isTakenAt(free); step *= 2) {
    below = free
    free += step
  }
  while (free - below > 1) {
    const middle = Math.floor((below + free) / 2)
    if (await isTakenAt(middle)) below = middle
    else free = middle
  }
  return free
}
