import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Deliveries that the hub stood still over, kept beside its store until they have been acted on. */
export interface Note {
  /** Deliveries whose payload it certainly was, and for how long it stood still (milliseconds). */
  certain: { delivery: number; ms: number }[]
  /** Deliveries that were under way when it was none of these: one of them may be it. */
  suspects: number[]
}

/** The note of an earlier process; empty where there is none, or where nobody can read it. */
export function readNote(path: string): Note {
  const nothing: Note = { certain: [], suspects: [] }
  try {
    const { certain, suspects } = JSON.parse(readFileSync(path, 'utf8')) as Record<keyof Note, unknown>
    return {
      certain: Array.isArray(certain) ? certain.filter(isCertain) : [],
      suspects: Array.isArray(suspects) ? suspects.filter(isId) : [],
    }
  } catch {
    return nothing
  }
}

/** Puts it on the disk, whole or not at all; one that says nothing is taken away. */
export function writeNote(path: string, note: Note): void {
  if (note.certain.length + note.suspects.length === 0) {
    rmSync(path, { force: true })
    return
  }
  const beside = `${path}.new`
  const file = openSync(beside, 'w', 0o600)
  try {
    writeSync(file, JSON.stringify(note))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(beside, path)
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  // Windows opens no folders; there the name is on the disk a moment later.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isCertain(value: unknown): value is Note['certain'][number] {
  const { delivery, ms } = (value ?? {}) as Record<string, unknown>
  return isId(delivery) && typeof ms === 'number'
}
