import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type CaseResult, testAdapter, type Verdict } from '../../src/adapter-kit/kit.ts'
import { BOOKING_NAMES } from '../../src/domain/accounting/bookings.ts'
import { expectPart } from '../checked-page.ts'
import { KITS, type OwnKit } from './kits.ts'

const PAGE = 'docs/adapters/README.md'

/** By the name of a case: the head of its column. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ done: 'done', duplicate: 'duplicate', 'crash between call and outcome': 'crash', reorder: 'reorder' },
  ...{ 'time-out after success': 'time-out', 'answer lost': 'answer lost', 'request lost': 'request lost' },
  ...{ '429 with Retry-After': '429', 'answer 500': '500', 'answer 503': '503', 'answer 401': '401' },
  ...{ 'HTML instead of an answer': 'HTML', 'empty answer': 'empty', 'JSON of another shape': 'other JSON' },
  'replica lag': 'lag',
}

const CELLS: Readonly<Record<Verdict, string>> = {
  ...{ 'one effect': 'one', 'held and named': 'held', 'may repeat, as it says': 'repeat', 'not applicable': '–' },
  FAIL: 'FAIL',
}

const WORST: readonly Verdict[] = ['FAIL', 'held and named', 'may repeat, as it says', 'not applicable', 'one effect']

function rowOf({ name, against }: OwnKit, results: readonly CaseResult[]): string {
  const cells = Object.keys(COLUMNS).map((title) => {
    const verdicts = new Set(results.filter((one) => one.case === title).map(({ verdict }) => verdict))
    return CELLS[WORST.find((verdict) => verdicts.has(verdict)) ?? 'not applicable']
  })
  return `| ${[name, ...cells, against].join(' | ')} |`
}

/** Which calls ran, which did not, and each reason why a case was not applicable or repeats. */
function lineOf({ name }: OwnKit, results: readonly CaseResult[]): string {
  const left = new Set(results.filter((one) => one.case === 'all').map(({ call }) => call))
  const ran = new Set(results.map(({ call }) => call).filter((call) => !left.has(call)))
  const told = results.filter((one) => one.case !== 'all' && /applicable|repeat/.test(one.verdict))
  const parts = [
    `${shown(ran)}.`,
    left.size > 0 && `Not run: ${shown(left)}.`,
    ...[...new Set(told.map(({ detail }) => `${detail.replace(/^./, (first) => first.toUpperCase())}.`))],
  ]
  return `- ${name}: ${parts.filter(Boolean).join(' ')}`
}

/** `orders` create, draft; `stock` setLevels */
function shown(calls: ReadonlySet<string>): string {
  const byPort = Object.entries(Object.groupBy(calls, (call) => call.split('.')[0] ?? ''))
  return byPort.map(([port, all = []]) => `\`${port}\`${methodsOf(all)}`).join('; ')
}

function methodsOf(calls: readonly string[]): string {
  if (calls.length === BOOKING_NAMES.length) return `, all ${calls.length}`
  return ` ${calls.map((call) => call.split('.')[1]).join(', ')}`
}

/** What this machine could run; of the others the page has it. */
const written = new Map<string, { row: string; line: string }>()

describe.each(KITS.filter(({ missing }) => missing === null))('$name', (own) => {
  test('makes one effect, or is held and named, in each case', async () => {
    const results = await testAdapter(own.adapter, own.kit)
    expect(results.filter(({ verdict }) => verdict === 'FAIL')).toEqual([])
    expect(results.length).toBeGreaterThan(10)
    written.set(own.name, { row: rowOf(own, results), line: lineOf(own, results) })
  })
})

test('the page says what each adapter made of each case', () => {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const before = (beginning: string) => lines.find((one) => one.startsWith(beginning)) ?? ''
  const shownOf = ({ name }: OwnKit) => written.get(name) ?? { row: before(`| ${name} |`), line: before(`- ${name}: `) }
  const head = [`| adapter | ${Object.values(COLUMNS).join(' | ')} | system |`, `|---${'|---'.repeat(16)}|`]
  const all = KITS.map(shownOf)
  expectPart(PAGE, 'kits', [...head, ...all.map(({ row }) => row), '', ...all.map(({ line }) => line)].join('\n'))
})
