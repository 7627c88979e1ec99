import { createProductFaults, type Sort } from '../../domain/catalogue/product-faults.ts'
import { asideText } from '../../platform/http/listed.ts'
import type { Platform } from '../../platform/platform.ts'
import type { LineFaults } from '../../store/screens.ts'
import type { ReadLines } from './body/read-body.ts'
import type { Resource } from './resources/resource.ts'

/** The answer to a dry run: what would be taken, what not, and what will hurt later. */
interface TrialAnswer {
  dryRun: true
  lines: number
  /** How many would be taken. */
  accepted: number
  refused: number
  /** The first ones. */
  faults: LineFaults[]
  /** The first ones: nothing that is refused, but something that the till or the reports will miss. */
  warnings: { line: number | null; sort: Sort; text: string }[]
  /** The number of all warnings, by sort. */
  warningCounts: Partial<Record<Sort, number>>
}

export interface Trial {
  see(read: ReadLines): void
  end(): Promise<TrialAnswer>
}

/** The most faults, and the most warnings, that are listed. */
const LISTED = 1_000

/** Reads as a submission does, takes nothing, and looks at the master data. */
export function createDryRun(platform: Platform | null, wantsSubgroup: boolean): { begin(resource: Resource): Trial } {
  return {
    begin(resource) {
      const found = createProductFaults(wantsSubgroup)
      const answer: TrialAnswer = {
        dryRun: true,
        lines: 0,
        accepted: 0,
        refused: 0,
        faults: [],
        warnings: [],
        warningCounts: {},
      }

      function warn(line: number | null, sort: Sort, text: string): void {
        answer.warningCounts[sort] = (answer.warningCounts[sort] ?? 0) + 1
        if (answer.warnings.length < LISTED) answer.warnings.push({ line, sort, text })
      }

      return {
        see({ lines, refused, faults }) {
          answer.lines += lines.length + refused
          answer.accepted += lines.length
          answer.refused += refused
          answer.faults.push(...faults.slice(0, LISTED - answer.faults.length))
          for (const { line, kind, payload } of lines)
            for (const { sort, text } of found.see(line, kind, payload)) warn(line, sort, text)
        },
        async end() {
          if (answer.accepted > 0) for (const { sort, text } of await ofThePlatform(resource)) warn(null, sort, text)
          return answer
        },
      }

      async function ofThePlatform({ scope }: Resource): Promise<{ sort: Sort; text: string }[]> {
        if (scope !== 'products' && scope !== 'prices') return []
        if (!platform) return [notAsked('the hub has no platform.baseUrl')]
        try {
          const [stores, lists] = await Promise.all([platform.stores.list(), platform.prices.lists()])
          const unreadable = asideText([...stores.aside, ...lists.aside])
          if (unreadable !== null) return [notAsked(unreadable)]
          return found.against({ stores: stores.rows, lists: lists.rows.map(({ name }) => name) })
        } catch {
          return [notAsked('it did not answer')]
        }
      }
    },
  }
}

function notAsked(why: string): { sort: Sort; text: string } {
  return { sort: 'platform-not-asked', text: `Price lists were not compared with the platform's: ${why}.` }
}
