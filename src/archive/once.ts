import type { ArchivedFile } from './manifest.ts'

/** The events of a file that were met. */
interface Met {
  last: number
  ids: Set<number>
}

/**
 * Says whether an event is met for the first time: a run that was cut off, or begun anew, has kept events in two files. Files are
 * gone through as the manifest has them, the oldest events first: of those before, only what reaches into one is remembered, since an
 * archive of years has more events than memory holds.
 */
export function createOnce(): (file: Pick<ArchivedFile, 'file' | 'kind' | 'first' | 'last'>, id: number) => boolean {
  const met = new Map<string, Map<string, Met>>()

  return ({ file, kind, first, last }, id) => {
    const files = met.get(kind) ?? new Map<string, Met>()
    met.set(kind, files)
    const own = files.get(file) ?? { last, ids: new Set() }
    if (own.ids.size === 0) {
      for (const [name, one] of files) if (one.last < first) files.delete(name)
      files.set(file, own)
    }
    for (const { ids } of files.values()) if (ids.has(id)) return false
    own.ids.add(id)
    return true
  }
}
