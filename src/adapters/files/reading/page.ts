import type { Files } from '../../../folders/transport.ts'
import { apartFault, createLines, type Line } from '../../../import/lines.ts'
import type { FilePosition } from '../../../import/pieces.ts'
import type { Claim } from './claiming.ts'
import type { Survey } from './survey.ts'

/** The most records, and bytes, that are taken at a time: this bounds the memory, and what comes again after a crash. */
const MOST_LINES = 500
const MOST_BYTES = 2_000_000

export interface Page {
  lines: Line[]
  /** After the last of them. */
  end: FilePosition
  /** There is nothing after them. */
  isLast: boolean
}

/** The lines of a file from a place on, as many as a page has. */
export async function readPage(files: Files, claim: Claim, survey: Survey, from: FilePosition): Promise<Page> {
  const { begin, header } = survey
  const reader = createLines(claim.source, {
    place: from,
    header,
    json: from.offset === begin.offset ? 'start' : survey.json,
  })
  const page: Page = { lines: [], end: from, isLast: false }
  let bytes = 0

  /** False: it is full. */
  function put(lines: Iterable<Line>): boolean {
    for (const line of lines) {
      const before = survey.apart.get(line.line)
      if (before !== undefined) line.faults.push(apartFault(line, before))
      page.lines.push(line)
      page.end = line.end
      bytes += line.raws.reduce((sum, raw) => sum + raw.bytes.length, 0)
      if (page.lines.length >= MOST_LINES || bytes >= MOST_BYTES) return false
    }
    return true
  }

  for await (const chunk of files.read(claim.path, from.offset)) if (!put(reader.add(chunk))) return page
  page.isLast = put(reader.end())
  return page
}
