import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from './machine.ts'
import { watchOthers } from './others.ts'
import { type Bench, judge, type Part, type PartResult, percent } from './part.ts'
import { PARTS } from './parts/index.ts'
import { versus, versusOf } from './parts/versus.ts'
import { findServer, type PostgresServer } from './schemas.ts'
import { formatTable } from './table.ts'

const HELP = `npm run bench [-- part …] [--json] [--seconds n] [--rounds n] [--main file] [--before file] [--store postgres://…]

Measures the hub on this machine, each part on a new database in TMPDIR. All parts take about fifteen minutes; years, prune-years, erase-years and copy, which run whole where they are named alone, take an hour and 30 GB of disk each.

${PARTS.map(({ name, about }) => `  ${name.padEnd(11)} ${about}`).join('\n')}

  --json      one JSON document instead of the table
  --seconds   length of a measured stretch (accept, through: 10; steady, neighbours: 60; lookups: 30; drain: 2,000 events for each;
              directory: any makes it 100,000 customers; years, prune-years, erase-years, copy: a thousand events for each, 300,000 at least)
  --rounds    how often each side is measured (3)
  --main      another entry file of the hub, a bundle for example
  --before    the entry file of another checkout (its src/main.ts), that this one is measured against in turn
              (versus: accept; versus accept through …: these parts)
  --year-old  a folder for the ten million events of prune-years, erase-years and copy: made where it is not there, and kept
  --store     a PostgreSQL server: each hub has a schema of its own there, dropped afterwards. Floors are those of this store

Exit code 1: a part missed its floor. 2: it was not asked rightly. 3: something was lost, or is wrong, which no slow machine explains.`

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      store: { type: 'string' },
      before: { type: 'string' },
      'year-old': { type: 'string' },
      main: { type: 'string', default: fileURLToPath(new URL('../src/main.ts', import.meta.url)) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(HELP)
  const postgres = values.store === undefined ? null : await findServer(values.store)
  const before = values.before === undefined ? null : resolve(values.before)
  const parts = choose(positionals, postgres, before, values.seconds !== undefined)
  const machine = describeMachine(postgres)
  const results = await measure(parts, {
    main: values.main,
    before,
    postgres,
    yearOld: values['year-old'] === undefined ? null : resolve(values['year-old']),
    rounds: count('rounds', values.rounds),
    seconds: values.seconds === undefined ? null : count('seconds', values.seconds),
    say: (line) => console.error(`  ${line}`),
  })
  console.log(values.json ? JSON.stringify({ machine, results }, null, 2) : formatTable(machine, results))
  const missed = results.filter(({ ok }) => !ok)
  for (const { part, missed: limits } of missed) console.error(`${part} missed its floor: ${limits.join('; ')}`)
  const isWrong = results.some(({ wrong }) => wrong.length > 0)
  if (missed.length > 0) process.exitCode = isWrong ? 3 : 1
}

async function measure(parts: readonly Part[], bench: Bench): Promise<PartResult[]> {
  const results: PartResult[] = []
  for (const part of parts) {
    console.error(`${part.name}: ${part.about}`)
    const others = watchOthers()
    const result = await part.run(bench).catch((error: unknown) => failed(bench, part, error))
    results.push({ ...result, notes: [...result.notes, ...chargeOthers(others())] })
  }
  return results
}

function choose(
  names: string[],
  postgres: PostgresServer | null,
  before: string | null,
  isShort: boolean,
): readonly Part[] {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name))
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}.\n${HELP}`)
  const possible = PARTS.filter(
    ({ needsPostgres = false, needsBefore = false }) =>
      (postgres !== null || !needsPostgres) && (before !== null || !needsBefore),
  )
  const impossible = names.filter((name) => !possible.some((part) => part.name === name))
  if (impossible.length > 0)
    throw new Error(`${impossible.join(', ')}: hubs and copy only with --store postgres://…; versus only with --before`)
  if (names.includes(versus.name)) return compared(possible.filter(({ name }) => names.includes(name)))
  if (names.length > 0) return possible.filter(({ name }) => names.includes(name))
  return possible.filter(({ takesLong = false, onlyNamed = false }) => !onlyNamed && (!takesLong || isShort))
}

/** What is named beside `versus` is measured in both checkouts. */
function compared(named: readonly Part[]): readonly Part[] {
  const others = named.filter((part) => part !== versus)
  return others.length > 0 ? others.map(versusOf) : [versus]
}

function count(option: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${option} must be a whole number from 1 on, not ${text}.`)
  return number
}

function chargeOthers(share: number): string[] {
  return share > 0.05
    ? [`other processes used ${percent(share)} of the machine meanwhile: repeat it when it is quiet`]
    : []
}

/** A part that cannot be measured has missed its floor. */
function failed(bench: Bench, { name }: Part, error: unknown): PartResult {
  const nothing = { perSecond: 0, p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN }
  const why = error instanceof Error ? error.message : String(error)
  return { ...judge(bench, name, nothing, [], []), ok: false, missed: [why] }
}
