import type { LoadResult } from './load.ts'
import type { PostgresServer } from './schemas.ts'

/** How a run was asked for. */
export interface Bench {
  main: string
  rounds: number
  /** Length of a measured stretch, where the part does not need its own. */
  seconds: number | null
  /** The entry file of another checkout, that this one is measured against; null: none. */
  before: string | null
  /** Where hubs keep what they took; null: each in a SQLite file of its own. */
  postgres: PostgresServer | null
  /** A folder for a store as it is after a year, which is kept (years/year-old.ts); null: each part makes its own. */
  yearOld: string | null
  /** Progress, for a person who waits. */
  say(line: string): void
}

export interface Part {
  name: string
  about: string
  /** It says nothing about one hub with a file. */
  needsPostgres?: true
  /** The whole of it takes an hour: without a length that is given, it runs where it is named. */
  takesLong?: true
  /** A short form of it says nothing that the other parts do not: it runs where it is named. */
  onlyNamed?: true
  /** It compares two checkouts. */
  needsBefore?: true
  /** It goes at a pace of its own: how fast it is shows in what it costs the hub, or in how soon half of the answers come, not in how many. */
  hasPace?: true
  run(bench: Bench): Promise<PartResult>
}

export interface Figures {
  ratio?: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** What the hub needed for it, at a pace that was given. */
  cpuSeconds?: number
}

export interface PartResult extends Figures {
  part: string
  floor: string
  goal: string
  /** No floor missed. */
  ok: boolean
  missed: string[]
  /** Those of them that no slow machine explains. */
  wrong: string[]
  /** Goals beyond the floor that were not reached. */
  below: string[]
  notes: string[]
}

/** What a figure must reach (floor) and should reach (goal). */
export interface Limit {
  name: string
  value: number
  sign: '≥' | '≤'
  floor: number
  goal?: number
  /** Nothing is lost and nothing is wrong: so on any machine, however slow. */
  isRightness?: true
  /** The store that it is a limit for. Speeds and sizes are SQLite's, where nothing else is said. */
  on: 'sqlite' | 'postgres' | 'any'
}

export function atLeast(name: string, value: number, floor: number, goal?: number): Limit {
  return { name, value, sign: '≥', floor, ...(goal !== undefined && { goal }), on: 'sqlite' }
}

export function atMost(name: string, value: number, floor: number): Limit {
  return { name, value, sign: '≤', floor, on: 'sqlite' }
}

export function onPostgres(limit: Limit): Limit {
  return { ...limit, on: 'postgres' }
}

/** What counts what was lost or is wrong: there is none, on any machine. */
export function none(name: string, value: number): Limit {
  return { ...always(atMost(name, value, 0)), isRightness: true }
}

/** What no store may fail at. */
export function always(limit: Limit): Limit {
  return { ...limit, on: 'any' }
}

export function judge(
  { postgres }: Pick<Bench, 'postgres'>,
  part: string,
  figures: Figures,
  all: Limit[],
  notes: string[],
): PartResult {
  const limits = all.filter(({ on }) => on === 'any' || on === (postgres ? 'postgres' : 'sqlite'))
  const missed = limits.filter((limit) => !reaches(limit, limit.floor))
  const below = limits.filter((limit) => limit.goal !== undefined && !reaches(limit, limit.goal))
  return {
    part,
    ...figures,
    floor: limits.map(({ name, sign, floor }) => `${name} ${sign} ${floor}`).join(', '),
    goal: limits.flatMap(({ name, sign, goal }) => (goal === undefined ? [] : `${name} ${sign} ${goal}`)).join(', '),
    ok: missed.length === 0,
    missed: missed.map((limit) => tell(limit, limit.floor)),
    wrong: missed.filter(({ isRightness }) => isRightness).map(({ name, value }) => `${value} ${name}`),
    below: below.map((limit) => tell(limit, limit.goal)),
    notes,
  }
}

/** What makes a run less worth: a generator at its own limit, events that were not accepted. */
export function warnings(what: string, { cpuShare, failed, statuses }: LoadResult): string[] {
  const notes: string[] = []
  if (cpuShare > 0.9)
    notes.push(`${what}: the generator used ${percent(cpuShare)} of a core and may be what was measured`)
  if (failed > 0) notes.push(`${what}: ${failed} events were not accepted, answers ${JSON.stringify(statuses)}`)
  return notes
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** NaN reaches nothing. */
function reaches({ value, sign }: Limit, bound: number): boolean {
  return sign === '≥' ? value >= bound : value <= bound
}

function tell({ name, value, sign }: Limit, bound: number | undefined): string {
  return `${name} is ${Number(value.toFixed(3))}, not ${sign} ${bound}`
}
