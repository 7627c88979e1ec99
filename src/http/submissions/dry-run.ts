import { createProductFaults, type Sort } from '../../domain/catalogue/product-faults.ts'
import type { SubmitScope } from '../../domain/scope.ts'
import { rejectedText } from '../../platform/http/read.ts'
import type { Platform } from '../../platform/platform.ts'
import type { LineFaults } from '../../storage/rows.ts'
import { LISTED, type ReadLines } from './body/read-body.ts'

type Warning = { line: number | null; sort: Sort; text: string }

export interface DryRun {
  see(read: ReadLines): void
  end(): Promise<object>
}

interface Options {
  platform: Platform | null
  wantsSubgroup: boolean
}

export function createDryRun(scope: SubmitScope, { platform, wantsSubgroup }: Options): DryRun {
  const found = createProductFaults(wantsSubgroup)
  const counts = { lines: 0, accepted: 0, refused: 0 }
  const faults: LineFaults[] = []
  const warnings: Warning[] = []
  const warningCounts: Partial<Record<Sort, number>> = {}

  function warn(line: number | null, { sort, text }: { sort: Sort; text: string }): void {
    warningCounts[sort] = (warningCounts[sort] ?? 0) + 1
    if (warnings.length < LISTED) warnings.push({ line, sort, text })
  }

  async function ofThePlatform(): Promise<{ sort: Sort; text: string }[]> {
    if (scope !== 'products' && scope !== 'prices') return []
    if (!platform) return [notAsked('the hub has no platform.baseUrl')]
    try {
      const { rows, rejected } = await platform.prices.lists()
      const unreadable = rejectedText(rejected)
      return unreadable === null ? found.newLists(rows.map(({ name }) => name)) : [notAsked(unreadable)]
    } catch {
      return [notAsked('it did not answer')]
    }
  }

  return {
    see(read) {
      counts.lines += read.lines.length + read.refused
      counts.accepted += read.lines.length
      counts.refused += read.refused
      faults.push(...read.faults.slice(0, LISTED - faults.length))
      for (const { line, kind, payload } of read.lines)
        for (const warning of found.see(line, kind, payload)) warn(line, warning)
    },
    async end() {
      if (counts.accepted > 0) for (const warning of await ofThePlatform()) warn(null, warning)
      return { dryRun: true, ...counts, faults, warnings, warningCounts }
    },
  }
}

function notAsked(why: string): { sort: Sort; text: string } {
  return { sort: 'platform-not-asked', text: `Price lists were not compared with the platform's: ${why}.` }
}
