import type { FileEntry } from '../../../folders/transport.ts'
import type { Source } from '../read-options.ts'

/** Tells files that are complete from those that are still being written, by looking at them again and again. */
export type Settling = ReturnType<typeof createSettling>

interface Look {
  source: Source
  entries: readonly FileEntry[]
}

interface Seen {
  size: number
  modifiedAt: number
  since: number
}

/** `now`: of a clock that nobody sets, in milliseconds. The clock of another machine says nothing about a file's age here. */
export function createSettling(now: () => number) {
  let seen = new Map<string, Seen>()

  return {
    /** Everything that is there. */
    look(found: readonly Look[]): void {
      const before = seen
      const at = now()
      seen = new Map(
        found.flatMap(({ source, entries }) =>
          entries.map(({ name, size, modifiedAt }): [string, Seen] => {
            const key = keyOf(source, name)
            const known = before.get(key)
            const isSame = known?.size === size && known.modifiedAt === modifiedAt
            return [key, known && isSame ? known : { size, modifiedAt, since: at }]
          }),
        ),
      )
    },
    /** Whether it has not changed for as long as its source says. */
    isSettled(source: Source, { name }: Pick<FileEntry, 'name'>): boolean {
      const known = seen.get(keyOf(source, name))
      return known !== undefined && now() - known.since >= source.settle
    },
  }
}

function keyOf({ resource }: Source, name: string): string {
  return `${resource}/${name}`
}
