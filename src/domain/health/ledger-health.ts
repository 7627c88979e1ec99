import { CAUSES } from '../ledger/causes.ts'
import type { GapCount } from '../ledger/gap.ts'
import { nearness } from '../ledger/horizon.ts'
import { NEVER, type Watermark } from '../ledger/watermark.ts'
import { counted } from '../values/counted.ts'
import type { Instant } from '../values/instant.ts'
import { fine, type HealthItem } from './health.ts'

/** Knowledge of completeness. */
export interface SeenLedger {
  gaps: GapCount[]
  watermarks: Watermark[]
}

/** Gaps in what is proven to be here, by cause, and whether the log is still there to prove the rest. */
export function ledgerHealth({ gaps, watermarks }: SeenLedger, now: Instant): HealthItem[] {
  const open = gaps.filter((one) => one.open > 0)
  const items = open.map(({ cause, open: count, oldest }): HealthItem => {
    const { words, mends } = CAUSES[cause]
    const means = `${counted(count, 'gap')}: ${words}`
    return {
      area: 'ledger',
      name: cause,
      state: 'problem',
      since: oldest,
      means,
      todo: `tillbridge gaps list; ${mends}`,
    }
  })
  const claimed = gaps.find(({ cause, open: count, recent }) => cause === 'claimed' && count === 0 && recent > 0)
  if (claimed !== undefined)
    items.push({
      ...{ area: 'ledger', name: 'claimed', state: 'problem', since: null },
      means: `${counted(claimed.recent, 'event')} since yesterday, taken from the log: ${CAUSES.claimed.words}`,
      todo: CAUSES.claimed.mends,
    })
  const unswept = watermarks.filter(({ level, until }) => level === 'log' && until === NEVER)
  const [never] = unswept
  if (never !== undefined)
    items.push({
      ...{ area: 'ledger', name: 'never swept', state: 'note', since: never.since },
      means: `The event log of ${counted(new Set(unswept.map(({ kind }) => kind)).size, 'kind')} was never looked through, ${never.kind} among them: nobody knows whether anything of it is missing.`,
      todo: 'tillbridge jobs history ledger: mend what it names, then tillbridge jobs run ledger.',
    })
  const ofLog = watermarks.filter(({ level, until }) => level === 'log' && until !== NEVER)
  const [first] = ofLog.sort((a, b) => a.until - b.until)
  if (first === undefined) return items
  const near = nearness(first.until, now)
  if (near !== 'far')
    items.push({
      ...{
        area: 'ledger',
        name: `log of ${first.kind}`,
        state: near === 'half' ? 'note' : 'problem',
        since: first.until,
      },
      means: `The event log proves nothing of ${first.kind} since then, and forgets it ${near === 'passed' ? 'by now' : 'before long'}.`,
      todo: 'tillbridge jobs history ledger: mend what it names, then tillbridge jobs run ledger.',
    })
  return items.length > 0 ? items : [fine('ledger', 'complete', 'Everything that the event log tells of is here.')]
}
