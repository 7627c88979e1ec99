/** One change to one place of a file: whether a test notices it says whether that place is tested. */
export interface Mutant {
  /** Its number in this run: what the woven code asks for. */
  id: number
  /** Its file, from the top of the project. */
  file: string
  line: number
  operator: string
  /** What stands there, and what would stand there instead; on one line. */
  from: string
  to: string
  /** The same mutant in every run, for as long as its file stays as it is. */
  key: string
}

/** The change, to be read by people: `a < b → a <= b`. */
export function changeOf({ from, to }: Mutant): string {
  return `${short(from)} → ${short(to)}`
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 70 ? `${line.slice(0, 67)}…` : line
}
