import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** What a shadow destination writes down of an effect, before it answers: a line of JSON. */
export interface BookLine {
  key: string
  call: number
  together: number
  /** When the call began, by this machine's clock, and how long it takes (milliseconds). */
  at: number
  ms: number
}

/** The book of a shadow destination: a file, so that it outlives the hub that is killed. */
export function openBook(file: string) {
  const before = readBook(file)
  const keys = new Set(before.map(({ key }) => key))
  let calls = before.reduce((most, { call }) => Math.max(most, call), 0)
  return {
    nextCall: () => ++calls,
    has: (key: string) => keys.has(key),
    /** In one write: it is there whole, or not at all. */
    write(lines: readonly BookLine[]): void {
      appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
      for (const { key } of lines) keys.add(key)
    },
    /** Somebody outside has said that things go wrong now. */
    is: (fault: 'slow' | 'down') => existsSync(`${file}.${fault}`),
  }
}

/** What is written in a book; none: nothing yet. */
export function readBook(file: string): BookLine[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as BookLine)
}
