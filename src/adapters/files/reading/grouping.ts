import type { Row } from './columns.ts'
import type { Group } from './fields.ts'
import type { FilePosition } from './splitting.ts'
import { LONGEST, UnreadableFileError } from './unreadable-file.ts'

/** The bytes of a row as they stood in the file, without the end of its line. */
export interface Raw {
  line: number
  bytes: Buffer
}

/** A line of `/v1` to be, or the faults that keep it from being one. */
export interface Line {
  /** The line of the file where it begins. */
  line: number
  /** The key that its rows belong together by; null: they do not. */
  key: string | null
  value: Record<string, unknown>
  faults: string[]
  raws: Raw[]
  /** After its last row. */
  end: FilePosition
}

/** One row, line or element, read. */
export interface Entry {
  raw: Raw
  end: FilePosition
  content: Row | { value: Record<string, unknown> } | { faults: string[] }
}

/** Makes lines of entries: of those that stand together and have the same key, one. Gives a line when it is over. */
export function createGrouping(group: Group | null) {
  let open: Line | null = null
  let bytes = 0

  function close(): Line[] {
    const closed = open
    open = null
    return closed ? [closed] : []
  }

  function begin({ raw, end, content }: Entry): Line {
    const common = { line: raw.line, key: null, value: {}, faults: [], raws: [raw], end }
    if ('value' in content) return { ...common, value: content.value }
    if (!('whole' in content)) return { ...common, faults: content.faults }
    const { whole, part, faults } = content
    if (!group) return { ...common, value: { ...whole, ...part }, faults }
    const key = whole[group.key]
    if (key === undefined) faults.push(`${group.key}: each row must have it`)
    const rows = Object.keys(part).length > 0 ? { [group.rows]: [part] } : {}
    return { ...common, key: typeof key === 'string' ? key : null, value: { ...whole, ...rows }, faults }
  }

  function extend(into: Line, { raw, end, content }: Entry & { content: Row }, { key, rows }: Group): void {
    const { whole, part, faults } = content
    for (const [name, value] of Object.entries(whole)) {
      const known = into.value[name]
      if (known === undefined) into.value[name] = value
      else if (JSON.stringify(known) !== JSON.stringify(value))
        into.faults.push(`line ${raw.line}: it has another ${name} than the rows of ${into.value[key]} before it`)
    }
    into.faults.push(...faults.map((fault) => `line ${raw.line}: ${fault}`))
    if (Object.keys(part).length > 0) {
      into.value[rows] ??= []
      ;(into.value[rows] as object[]).push(part)
    }
    into.raws.push(raw)
    into.end = end
    bytes += raw.bytes.length
    if (bytes > LONGEST)
      throw new UnreadableFileError(
        `Line ${into.line}: more than ${LONGEST / 1e6} MB of rows of one ${key} begin here; it is taken in one piece.`,
      )
  }

  return {
    add(entry: Entry): Line[] {
      const { content } = entry
      if (group && open && open.key !== null && 'whole' in content && content.whole[group.key] === open.key) {
        extend(open, { ...entry, content }, group)
        return []
      }
      const before = close()
      open = begin(entry)
      bytes = entry.raw.bytes.length
      return before
    },
    end: close,
  }
}
